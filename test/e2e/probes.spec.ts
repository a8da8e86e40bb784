import pg from 'pg'
import { postgresUrl } from '../support/servers.js'
import { startValkey } from '../support/valkey-server.js'
import { startAuction, type AuctionServer } from './auction-server.js'

async function get(url: string): Promise<[number, unknown]> {
  const response = await fetch(url)
  const text = await response.text()
  return [response.status, text.startsWith('{') ? JSON.parse(text) : text]
}

describe('the probes', () => {
  let running: AuctionServer | undefined
  const start = async (changes?: Parameters<typeof startAuction>[0]): Promise<AuctionServer> =>
    (running = await startAuction(changes))
  afterEach(async () => {
    await running?.close()
    running = undefined
  })

  it('report a live and ready application, which Prometheus can scrape', async () => {
    const server = await start()
    expect(await get(`${server.url}/livez`)).toEqual([200, 'ok'])
    // The PostgreSQL of the test run writes no logical log. That does not affect readiness.
    const follow = { status: 'down', reason: 'nobody follows the database' }
    expect(await get(`${server.url}/readyz`)).toEqual([200, { database: 'ok', cache: 'ok', follow }])

    const metrics = await fetch(`${server.url}/metrics`)
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const text = await metrics.text()
    expect(text).toContain('# TYPE event_loop_lag_seconds histogram')
    expect(text).toContain('# TYPE model_cache_reads_total counter')
  })

  it('attribute event-loop lag to GraphQL and HTTP handlers', async () => {
    const server = await start()
    await server.graphql('{ fundraisers { id } }')
    await get(`${server.url}/livez`)
    // The interceptor waits for the lag sample after the handler.
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { url } = server
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('handler_event_loop_lag_seconds_count{handler="FundraiserResolver.fundraisers"} 1')
    expect(text).toContain('handler_event_loop_lag_seconds_count{handler="HealthController.livez"} 1')
  })

  it('report an unavailable cache and stay ready, since reads bypass it', async () => {
    const valkey = await startValkey()
    const server = await start({ valkey: { url: valkey.url } })
    await valkey.stop()

    const [status, body] = await get(`${server.url}/readyz`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ database: 'ok', cache: expect.stringMatching(/^unreachable: /) })
    expect(await get(`${server.url}/livez`)).toEqual([200, 'ok'])
    const { data } = await server.graphql('{ fundraisers { name } }')
    expect(data).toEqual({ fundraisers: [{ name: 'Winter Gala' }] })
  })

  it('are not ready while the database is unavailable', async () => {
    const server = await start()
    const name = new URL(server.config.databaseUrl!).pathname.slice(1)
    const admin = new pg.Client({ connectionString: postgresUrl() })
    await admin.connect()
    await admin.query(`ALTER DATABASE "${name}" WITH ALLOW_CONNECTIONS false`)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    await admin.end()

    const [status, body] = await get(`${server.url}/readyz`)
    expect(status).toBe(503)
    expect(body).toMatchObject({ database: expect.stringMatching(/^unreachable: /), cache: 'ok' })
    expect(await get(`${server.url}/livez`)).toEqual([200, 'ok'])
  })

  it('report the shutdown while the application still answers requests', async () => {
    // Long enough for the answers, on a busy machine as well.
    const server = await startAuction({ drainMs: 2_000 })
    await get(`${server.url}/livez`)
    const pages = Array.from({ length: 20 }, () =>
      server.graphql('{ fundraisers { name givingLevels { name } } }'),
    )
    const closed = server.close()
    try {
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await get(`${server.url}/readyz`)).toEqual([503, { shutdown: 'under way' }])
      const answers = await Promise.all(pages)
      expect(answers.filter(({ status, errors }) => status === 200 && !errors)).toHaveLength(20)
    } finally {
      // Without draining, the server would wait 72 seconds for keep-alive connections.
      await closed
    }
    await expect(get(`${server.url}/livez`)).rejects.toThrow('fetch failed')
  })
})
