/** Reads a product through its cache, as another process with caches does, and says whether it was stored. */
import { CacheRegistry, modelCaches } from 'model-cache/prisma'
import type { Prisma } from './generated/prisma/client.js'
import { createClient } from './client.js'

const productCache = modelCaches<Prisma.TypeMap>().defineModelCache('Product', { ttl: '10m' })

const registry = new CacheRegistry({ valkey: { url: process.env.VALKEY_URL! } })
const prisma = createClient(registry)
const products = await registry.register(productCache)
await registry.start(prisma)
const { stored } = await products.explain(1)
const product = await products.get(1)
console.log(product?.name, product?.price.toFixed(2), stored.isHit ? 'from Valkey' : 'from PostgreSQL')

await registry.close()
await prisma.$disconnect()
