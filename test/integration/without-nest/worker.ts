/** A worker as an application writes one: it imports nothing of Nest. Prints what became of its reads. */
import { channel } from 'node:diagnostics_channel'
import { PrismaPg } from '@prisma/adapter-pg'
import { CacheRegistry, extendPrisma, modelCaches } from 'model-cache/prisma'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const guestCache = defineModelCache('GuestUser', { ttl: '10m' })

const warn = (message: string): void => void process.stderr.write(message)
const registry = new CacheRegistry({ valkey: { url: process.env.VALKEY_URL! }, warn })
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL! })
const prisma = extendPrisma(new PrismaClient({ adapter }), registry.writes, { reads: 'all' })
const guests = await registry.register(guestCache)
await registry.start(prisma)

let loads = 0
channel('model-cache:load').subscribe(() => loads++)
const { id, name } = await prisma.$uncached.guestUser.findFirstOrThrow({ orderBy: { id: 'asc' } })
const find = () => prisma.guestUser.findUniqueOrThrow({ where: { id } })
try {
  // A row is stored after its reader has it.
  let known: number
  do {
    known = loads
    await guests.get(id)
  } while (known !== loads)
  const stored = await find()
  const loadsOfStored = loads - known
  await prisma.guestUser.update({ where: { id }, data: { name: `${name}!` } })
  const written = [(await guests.get(id))?.name, (await find()).name]
  process.stdout.write(JSON.stringify({ name, stored: stored.name, loadsOfStored, written }))
} finally {
  await registry.close()
  await prisma.$disconnect()
}
