import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma } from 'model-cache'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { createDemoDatabase } from '../../support/demo-database.js'
import { RecordingCoordinator } from './recording-coordinator.js'

let database: Awaited<ReturnType<typeof createDemoDatabase>>
let pool: pg.Pool
let prisma: PrismaClient

beforeAll(async () => {
  database = await createDemoDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const recorder = new RecordingCoordinator()
  recorder.caches = { GuestUser: [['id']] }
  prisma = extendPrisma(new PrismaClient({ adapter: new PrismaPg(pool) }), recorder)
})
afterAll(async () => {
  await prisma.$disconnect()
  await pool.end()
  await database.drop()
})

it('a connection that is lost as the pool hands it out fails its write, and not the process', async () => {
  const id = 'lost'
  const data = { id, name: 'Ann', email: 'ann@example.com' }
  await prisma.guestUser.create({ data })
  const rename = (name: string) => prisma.guestUser.update({ where: { id }, data: { name } })
  const errors: unknown[] = []
  pool.once('acquire', (connection) =>
    // As soon as the pool has taken its listener away, in the same turn: pg emits the error from the data that a socket brings.
    connection.once('removeListener', () => {
      try {
        connection.emit('error', new Error('terminating connection due to administrator command'))
      } catch (error) {
        errors.push(error)
      }
    }),
  )
  await rename('Bea')
  expect(errors).toEqual([])
  await expect(prisma.guestUser.findUnique({ where: { id } })).resolves.toMatchObject({ name: 'Bea' })
})
