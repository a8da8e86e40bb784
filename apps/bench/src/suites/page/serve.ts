/** The process that serves one variant: `serve.ts VARIANT`, with DATABASE_URL and VALKEY_URL. */
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { register } from 'prom-client'
import { PrismaClient } from '#prisma/client/client.js'
import { listenOn } from '../../harness/graphql/app.ts'
import { watchMethods } from '../../harness/http/serve-http.ts'
import { serveParent } from '../../harness/process.ts'
import { sum } from '../../harness/statistics.ts'
import { createPageApp } from './app.ts'
import { allVariants } from './variants.ts'

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
const { open } = allVariants.find(({ name }) => name === process.argv[2])!
const app = await createPageApp(await open({ prisma, valkeyUrl: process.env.VALKEY_URL! }))

const methods = serveParent(
  {
    ...watchMethods(),
    /** SQL statements so far, and reads of a client with `reads`: those that caches answered, and all. */
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
  await listenOn(app),
)
export type Serving = typeof methods
