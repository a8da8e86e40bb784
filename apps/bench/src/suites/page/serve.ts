/** The process that serves one variant: `serve.ts VARIANT`, with DATABASE_URL and VALKEY_URL. */
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { register } from 'prom-client'
import { PrismaClient } from '#prisma/client/client.js'
import { watchMethods } from '../../harness/http/serve-http.ts'
import { serveParent } from '../../harness/process.ts'
import { sum } from '../../harness/statistics.ts'
import { allVariants } from './all-variants.ts'
import { createPageApp } from './page-app.ts'

let queries = 0
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 10 })
pool.on('connect', (client) => {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    queries++
    return query(...args)
  }) as typeof client.query
})

const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
const variant = allVariants.find(({ name }) => name === process.argv[2])!
const app = await createPageApp(await variant.open({ prisma, valkeyUrl: process.env.VALKEY_URL! }))
await app.listen(0, '127.0.0.1')

const methods = serveParent(
  {
    ...watchMethods(),
    /** SQL statements so far, and reads of Prisma: those that caches answered, and all that a client with `reads` got. */
    async counts() {
      const { values = [] } = (await register.getSingleMetric('model_cache_prisma_reads_total')?.get()) ?? {}
      const answered = values.filter(({ labels }) => labels['outcome'] === 'answered')
      return {
        queries,
        answered: sum(answered.map(({ value }) => value)),
        reads: sum(values.map(({ value }) => value)),
      }
    },
  },
  await app.getUrl(),
)
export type Serving = typeof methods
