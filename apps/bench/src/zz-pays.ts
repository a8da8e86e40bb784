import { Session } from 'node:inspector'
import { readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
const [, , names, endpoint, size = '50', count = '3000'] = process.argv
const B = process.cwd() + '/apps/bench/src'
const { openValkey } = await import(B + '/harness/servers.ts')
const { startPostgres } = await import(process.cwd() + '/test/support/postgres-server.ts')
const { openClient } = await import(B + '/suites/pays/clients.ts')
const { endpoints } = await import(B + '/suites/pays/endpoints.ts')
const [valkey, postgres] = await Promise.all([openValkey(), startPostgres()])
const c = new pg.Client({ connectionString: postgres.url }); await c.connect(); await c.query(readFileSync(B + '/suites/pays/rows.sql', 'utf8')); await c.end()
const { run } = endpoints.find((e: any) => e.name === endpoint)!
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
const clients: any = {}
for (const name of names.split(',')) clients[name] = await openClient(name, new pg.Pool({ connectionString: postgres.url, max: 10 }), valkey.url)
let n = 0
const loop = async (client: any, times: number) => { for (let i = 0; i < times; i++) await run(client, `c${size}-${n++ % 8}`) }
const N = Number(count)
for (const name in clients) await loop(clients[name], N / 2)
const samples: any = {}
for (let r = 0; r < 10; r++) for (const name of r % 2 ? Object.keys(clients) : Object.keys(clients).reverse()) { const b = cpu(); await loop(clients[name], N / 10); (samples[name] ??= []).push((cpu() - b) / (N / 10)) }
const med = (a: number[]) => a.toSorted((x, y) => x - y)[a.length >> 1]!
for (const name in clients) console.log(endpoint, size, name, med(samples[name]).toFixed(3), 'ms')
const last = Object.keys(clients).at(-1)!
const s = new Session(); s.connect()
const post = (m: string, p?: any) => new Promise<any>((r, j) => s.post(m, p, (e, v) => e ? j(e) : r(v)))
await post('Profiler.enable'); await post('Profiler.setSamplingInterval', { interval: 100 }); await post('Profiler.start')
await loop(clients[last], N / 2)
const { profile } = await post('Profiler.stop')
writeFileSync('/work/prof/pays.cpuprofile', JSON.stringify(profile))
await valkey.close(); await postgres.stop()
process.exit(0)
