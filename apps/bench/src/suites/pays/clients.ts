import { PrismaPg } from '@prisma/adapter-pg'
import { NestFactory } from '@nestjs/core'
import { ModelCacheModule, modelCaches, provideExtendedPrisma } from 'model-cache'
import type pg from 'pg'
import { TTL_MS } from '../../harness/peers.ts'
import { type Prisma, PrismaClient } from './client/client.ts'
import { modes, PLAIN, resultsOf, ROWS } from './modes.ts'

const token = Symbol('the client')
const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** Opens a client: Prisma alone, or with caches that have every row, key and list of the endpoints. */
export async function openClient(name: string, pool: pg.Pool, valkeyUrl: string): Promise<PrismaClient> {
  const newClient = (): PrismaClient => new PrismaClient({ adapter: new PrismaPg(pool) })
  if (name === PLAIN) return newClient()
  const options = { ttl: TTL_MS, ...modes[name as keyof typeof modes] }
  // As `npx model-cache suggest` names them.
  const caches = [
    defineModelCache('Customer', { ...options, unique: { byEmail: 'email' } }),
    defineModelCache('Address', {
      ...options,
      lists: { byCustomerId: { by: 'customerId', orderBy: { id: 'asc' } } },
    }),
    defineModelCache('Country', options),
    defineModelCache('Product', { ...options, unique: { bySku: 'sku' } }),
    defineModelCache('Price', {
      ...options,
      lists: { byProductId: { by: 'productId', orderBy: { day: 'asc' }, maxRows: 3_000 } },
    }),
    defineModelCache('Label', {
      ...options,
      lists: { byPurchase: { through: 'purchases', orderBy: { id: 'asc' } } },
    }),
    defineModelCache('Purchase', {
      ...options,
      lists: { byCustomerId: { by: 'customerId', orderBy: { boughtAt: 'asc' }, maxRows: 3_000 } },
    }),
  ]
  const reads = name === ROWS ? 'all' : { caches: 'all' as const, results: resultsOf(name) }
  const imports = [
    {
      module: class Database {},
      global: true,
      providers: [provideExtendedPrisma(token, newClient, [], { reads })],
      exports: [token],
    },
    ModelCacheModule.forRoot({
      prisma: token,
      valkey: { url: valkeyUrl },
      namespace: `pays-${name}`,
      registry: false,
    }),
    ModelCacheModule.forFeature(caches),
  ]
  const app = await NestFactory.createApplicationContext(
    { module: class Caches {}, imports },
    { logger: ['warn', 'error'] },
  )
  return app.get<PrismaClient>(token)
}
