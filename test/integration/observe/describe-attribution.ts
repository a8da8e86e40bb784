/** What names the work that blocks the event loop, and what refuses requests while it is under pressure. */
import type { Registry } from 'prom-client'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { type Platform, pressure, startWatched, type WatchedApp } from './handlers.js'

type Labels = Record<string, string>

/** The value of one series; 0 where there is none. */
export async function valueOf(
  registry: Registry,
  metric: string,
  series: string,
  labels: Labels,
): Promise<number> {
  const { values } = await registry.getSingleMetric(metric)!.get()
  const isIt = (value: { labels: Labels; metricName?: string }) =>
    (value.metricName ?? metric) === series &&
    Object.entries(labels).every(([name, wanted]) => value.labels[name] === wanted)
  return (values as { labels: Labels; metricName?: string; value: number }[]).find(isIt)?.value ?? 0
}

/** Seconds by the work that held the event loop for 0.1 s or more. */
export async function blocksOf(registry: Registry): Promise<Record<string, number>> {
  const { values } = await registry.getSingleMetric('event_loop_block_seconds')!.get()
  const sums = (values as { labels: Labels; metricName?: string; value: number }[]).filter(
    ({ metricName }) => metricName === 'event_loop_block_seconds_sum',
  )
  return Object.fromEntries(sums.map(({ labels, value }) => [labels.holder!, value]))
}

const seen = (registry: Registry, handler: string) =>
  valueOf(registry, 'handler_event_loop_lag_seconds', 'handler_event_loop_lag_seconds_count', { handler })

/** The watching thread starts with the first handler, and later on a busy machine. */
export async function untilBlocksAreNamed({ url, registry }: WatchedApp): Promise<void> {
  await eventually(async () => {
    await fetch(`${url}/blocking`)
    return 'RestController.blocking' in (await blocksOf(registry))
  })
}

/** The tests of an application on a platform, and those of its GraphQL queries if it has any. */
export function describeAttribution(name: string, platform: Platform): void {
  describe(`on ${name}`, () => {
    let watched: WatchedApp
    beforeAll(async () => {
      watched = await startWatched(platform)
      await untilBlocksAreNamed(watched)
    })
    afterEach(() => {
      pressure.value = 0
    })
    afterAll(() => watched.app.close())
    const get = (path: string) => fetch(`${watched.url}/${path}`)

    it('names a blocking route within one scrape, and not a route that waits beside it', async () => {
      const patient = get('patient')
      await (await get('blocking')).text()
      const blocks = await blocksOf(watched.registry)
      await patient
      // `none` is Nest and the schema, at their first use.
      expect(Object.keys(blocks).filter((holder) => holder !== 'none')).toEqual(['RestController.blocking'])
      expect(blocks['RestController.blocking']).toBeGreaterThan(0.4 * 0.8)
    })

    it('names a route that blocks and then fails, and counts its block as attributed', async () => {
      expect((await get('failing')).status).toBe(418)
      expect(await blocksOf(watched.registry)).toHaveProperty(['RestController.failing'])
      await eventuallyEqual(() => seen(watched.registry, 'RestController.failing'), 1)
    })

    it('passes streams unchanged, and counts them when they end', async () => {
      expect(await (await get('file')).text()).toBe('abc')
      const events = await (await get('events')).text()
      expect(events.match(/data: /g)).toHaveLength(3)
      await eventuallyEqual(() => seen(watched.registry, 'RestController.file'), 1)
      await eventuallyEqual(() => seen(watched.registry, 'RestController.events'), 1)
    })

    describe('under pressure', () => {
      it('refuses a part of the requests, with 503 and Retry-After, and counts them', async () => {
        pressure.value = 0.8
        const answers = await Promise.all(Array.from({ length: 200 }, () => get('quick')))
        const refused = answers.filter(({ status }) => status === 503)
        expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(200)
        // 0.9 × (0.8 - 0.5) / 0.5 = 54 % are to be refused.
        expect(refused.length).toBeGreaterThan(60)
        expect(refused.length).toBeLessThan(160)
        expect(refused[0]!.headers.get('retry-after')).toBe('1')
        expect(
          await valueOf(
            watched.registry,
            'event_loop_shed_requests_total',
            'event_loop_shed_requests_total',
            {
              handler: 'RestController.quick',
            },
          ),
        ).toBe(refused.length)
      })

      it('never refuses an exempt route', async () => {
        pressure.value = 1
        const answers = await Promise.all(Array.from({ length: 50 }, () => get('probe')))
        expect(answers.every(({ status }) => status === 200)).toBe(true)
      })

      it('refuses nothing while the pressure is low', async () => {
        pressure.value = 0.5
        const answers = await Promise.all(Array.from({ length: 50 }, () => get('quick')))
        expect(answers.every(({ status }) => status === 200)).toBe(true)
      })
    })

    const { graphql } = platform
    if (!graphql) return

    it('names a blocking GraphQL query by its resolver', async () => {
      const { body } = await watched.graphql('{ blockingQuery }')
      expect(body.data).toEqual({ blockingQuery: 'done' })
      expect(await blocksOf(watched.registry)).toHaveProperty(['LotResolver.blockingQuery'])
      expect(await seen(watched.registry, 'LotResolver.blockingQuery')).toBeLessThanOrEqual(1)
    })

    it('names a blocking GraphQL field, which Nest does not intercept, by its resolver', async () => {
      const { body } = await watched.graphql('{ lot { id title } }')
      expect(body.data).toEqual({ lot: { id: '1', title: 'Lot 1' } })
      const blocks = await blocksOf(watched.registry)
      expect(blocks).toHaveProperty(['LotResolver.title'])
      expect(blocks).not.toHaveProperty(['LotResolver.lot'])
    })

    it('passes on the error of a query unchanged', async () => {
      const { body } = await watched.graphql('{ failingQuery }')
      expect(body.errors?.[0]?.message).toBe('teapot')
      await eventuallyEqual(() => seen(watched.registry, 'LotResolver.failingQuery'), 1)
    })

    it('refuses queries under pressure with a GraphQL error', async () => {
      pressure.value = 1
      const answers = await Promise.all(Array.from({ length: 30 }, () => watched.graphql('{ lot { id } }')))
      const refused = answers.filter(({ body }) => body.errors)
      expect(refused.length).toBeGreaterThan(15)
      const [{ status, headers, body }] = refused as [(typeof refused)[0]]
      expect(status).toBe(graphql.unavailable)
      expect(headers.get('retry-after')).toBe('1')
      expect(body.data ?? null).toBeNull()
      expect(body.errors![0]!.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 })
    })
  })
}
