/** Reads a product through its cache, as another process with caches does, and says whether it was stored. */
import { modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, schemaFactsOf, ValkeyStore } from 'model-cache/advanced'
import type { Prisma } from './generated/prisma/client.js'
import { createClient } from './client.js'

const productCache = modelCaches<Prisma.TypeMap>().defineModelCache('Product', { ttl: '10m' })

const store = new ValkeyStore({ url: process.env.VALKEY_URL! })
const writes = new ModelCacheWrites({ store })
await store.connect()
const prisma = createClient(writes)
const products = createModelCache(productCache, {
  store,
  writes,
  facts: schemaFactsOf(prisma),
  source: createPrismaSource(prisma, { name: 'Product', model: 'Product', idFields: ['id'] }),
})
const { stored } = await products.explain(1)
const product = await products.get(1)
console.log(product?.name, product?.price.toFixed(2), stored.isHit ? 'from Valkey' : 'from PostgreSQL')

await products.close()
await writes.close()
await store.close()
await prisma.$disconnect()
