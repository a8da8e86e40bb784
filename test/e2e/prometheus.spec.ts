import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createCacheMetrics } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { eventually } from '../support/eventually.js'
import { isAboutStandby, panels, queries, ROOT, RULES } from './dashboard.js'
import { createDemoDatabase } from '../support/demo-database.js'
import { findPrometheus } from '../support/find-prometheus.js'
import { type PrometheusServer, startPrometheus } from '../support/start-prometheus.js'
import { type PostgresServer, startPostgres } from '../support/postgres-server.js'
import { untilFollowed } from './follow.js'
import { type AuctionServer, startAuction } from './auction-server.js'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Reads and writes what the panels measure. */
async function useAuction(server: AuctionServer): Promise<void> {
  const { data } = await server.graphql('{ fundraisers { id } }')
  const page = `{ auctionPage(fundraiserId: "${data.fundraisers[0].id}") { items { id name bids { amount bidder { displayName } } } } }`
  const first = await server.graphql(page)
  await Promise.all(Array.from({ length: 5 }, () => server.graphql(page)))
  const [{ id }] = first.data.auctionPage.items
  await server.graphql(`mutation { editItem(input: { id: "${id}", name: "Another name" }) { id } }`)
  await server.graphql(page)
}

describe('Prometheus', () => {
  let postgres: PostgresServer
  let server: AuctionServer
  let prometheus: PrometheusServer
  beforeAll(async () => {
    // A process that does not follow the database has no metrics of that.
    postgres = await startPostgres({ wal_level: 'logical' })
    server = await startAuction({}, { createDatabase: () => createDemoDatabase(postgres.url) })
    await untilFollowed(server)
    prometheus = await startPrometheus({ target: new URL(server.url).host, rules: [RULES] })
    // Rates need counters that grow between scrapes.
    for (let round = 0; round < 3; round++) {
      await useAuction(server)
      block(200)
      await untilScraped()
    }
    // Includes the download of Prometheus on the first run.
  }, 120_000)
  afterAll(async () => {
    await prometheus?.stop()
    await server?.close()
    await postgres?.stop()
  })

  const storeHits = { layer: 'store', outcome: 'hit' }

  /** A scrape has a timeout of a quarter of a second, which a busy machine exceeds at times: then there is no value. */
  async function untilScraped(): Promise<void> {
    const counted = await server.counter('model_cache_reads_total', storeHits)
    const query = 'sum(model_cache_reads_total{layer="store",outcome="hit"})'
    await eventually(async () => (await prometheus.query(query))[0]?.value === counted)
  }

  it('has the series that docs/metrics.md lists', async () => {
    const listed = [...readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').matchAll(/^\| (`.*?)\s*\|/gm)]
      .flatMap(([, cell]) => [...cell!.matchAll(/`((?:model_cache|event_loop|handler|gc)_\w+)`/g)])
      .map(([, name]) => name!)
    expect(listed.length).toBeGreaterThan(15)
    const metadata = (await prometheus.get('/api/v1/targets/metadata')) as { metric: string }[]
    const known = metadata.map(({ metric }) => metric)
    expect(listed.filter((name) => !known.includes(name))).toEqual([])
    expect(await server.counter('model_cache_reads_total', storeHits)).toBeGreaterThan(0)
    await untilScraped()
  })

  it('counts the lag samples that a block delayed', async () => {
    const above = `sum(event_loop_lag_seconds_count) - sum(event_loop_lag_seconds_bucket{le="0.1"})`
    // Three blocks of 200 ms have ten samples each. Four or five of these are above 100 ms.
    await eventually(async () => (await prometheus.query(above)).some(({ value }) => value >= 12))
  })

  it.each(queries.filter(([, query]) => !isAboutStandby(query)))(
    'has data for the panel "%s": %s',
    async (_, expression) => {
      await eventually(async () =>
        (await prometheus.query(expression)).some(({ value }) => !Number.isNaN(value)),
      )
    },
  )

  it('takes the query about a standby, which is not followed here', async () => {
    const [[, query] = []] = queries.filter(([, query]) => isAboutStandby(query))
    expect(await prometheus.query(query!)).toEqual([])
  })

  it('loads all rules and evaluates them without errors', async () => {
    const { groups } = (await prometheus.get('/api/v1/rules')) as {
      groups: { rules: { name: string; health: string; lastError?: string }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThanOrEqual(10)
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    await eventually(async () => (await prometheus.query('model_cache:hit_ratio:rate10m')).length > 0)
  })

  it('scrapes metrics that pass promtool', async () => {
    const { promtool } = await findPrometheus()
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const check = spawn(promtool, ['check', 'metrics'])
    check.stdin.end(metrics)
    const [complaints, [code]] = await Promise.all([text(check.stderr), once(check, 'exit')])
    expect(complaints).toBe('')
    expect(code).toBe(0)
  })
})

describe('the alerts', () => {
  const promtool = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)((await findPrometheus()).promtool, args)
    return stdout + stderr
  }

  it('are valid rules', async () => {
    expect(await promtool('check', 'rules', '--lint-fatal', RULES)).toContain('SUCCESS')
    const config = join(ROOT, 'docker/prometheus/prometheus.yml')
    expect(await promtool('check', 'config', config)).toContain('1 rule files found')
  })

  it('fire on their conditions only', async () => {
    const tests = join(import.meta.dirname, 'alerts.test.yml')
    expect(await promtool('test', 'rules', tests)).toContain('SUCCESS')
    const tested = readFileSync(tests, 'utf8')
    for (const alert of alerts()) expect(tested).toContain(`alertname: ${alert}`)
  })

  it('link to their section of docs/operations.md', () => {
    const rules = readFileSync(RULES, 'utf8')
    const sections = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').match(/^## \w+$/gm) ?? []
    for (const alert of alerts()) {
      expect(sections).toContain(`## ${alert}`)
      expect(rules).toContain(`runbook_url: docs/operations.md#${alert.toLowerCase()}`)
    }
  })

  function alerts(): string[] {
    const names = [...readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThanOrEqual(9)
    return names
  }
})

describe('the dashboard', () => {
  it('has unique panels that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })

  it('adds rows and entries of lookups up only where it counts loads and audits', () => {
    const registry = new Registry()
    createCacheMetrics(registry).forModel('Lot', 'ofSeller')
    const labelled = registry
      .getMetricsAsArray()
      .map((metric) => metric as unknown as { name: string; labelNames: readonly string[] })
      .filter(({ labelNames }) => labelNames.includes('lookup'))
      .map(({ name }) => name)
    expect(labelled).toContain('model_cache_reads_total')
    // Each sum, with what it is grouped by, and the selector of its series.
    const sums = /sum(?: by \((.*?)\))? \(?(?:rate|increase)?\(?(\w+?)(?:_bucket|_sum|_count)?\{(.*?)\}/g
    const mixing = queries.filter(([, query]) =>
      [...query.replaceAll('sum(', 'sum (').matchAll(sums)].some(
        ([, groups = '', name, selector]) =>
          labelled.includes(name!) && !groups.includes('lookup') && !selector!.includes('lookup'),
      ),
    )
    const titles = mixing.map(([title]) => title)
    expect(titles).toEqual(['Stale rows found', 'Loads by outcome', 'Audits by outcome'])
  })
})
