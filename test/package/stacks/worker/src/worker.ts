/** Works off a job of BullMQ that writes, without Nest and without caches. */
import { Queue, QueueEvents, Worker } from 'bullmq'
import { CacheRegistry } from 'model-cache/prisma'
import { createClient } from './client.js'

// ioredis reads `valkey:` as a path.
const connection = { url: process.env.VALKEY_URL!.replace('valkey:', 'redis:') }
const registry = new CacheRegistry({ valkey: { url: process.env.VALKEY_URL! }, warn: console.warn })
const prisma = createClient(registry)
await registry.start(prisma)

const queue = new Queue<{ id: number; percent: number }>('prices', { connection })
const events = new QueueEvents('prices', { connection })
await events.waitUntilReady()
const worker = new Worker<{ id: number; percent: number }>(
  'prices',
  async ({ data: { id, percent } }) => {
    const { price } = await prisma.product.findUniqueOrThrow({ where: { id } })
    const raised = await prisma.product.update({
      where: { id },
      data: { price: price.mul(100 + percent).div(100) },
    })
    return raised.price.toFixed(2)
  },
  { connection },
)

const job = await queue.add('raise', { id: 1, percent: 10 })
console.log('raised to', await job.waitUntilFinished(events))

await worker.close()
await events.close()
await queue.close()
await registry.close()
await prisma.$disconnect()
