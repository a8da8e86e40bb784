import { extendPrisma } from 'model-cache'
import type { TestDatabase } from '../../support/test-database.ts'
import { createDatabase } from '../../support/servers.js'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

/** A step may lead to itself. */
const schema = `
model Step {
  id Int @id
  nextId Int? @unique
  next Step? @relation("Steps", fields: [nextId], references: [id], onUpdate: Cascade)
  previous Step? @relation("Steps")
}
`
type Step = { update(args: object): Promise<unknown>; updateMany(args: object): Promise<unknown> }

let database: TestDatabase
let client: ReturnType<typeof createClientOfText>
let step: Step
const recorder = new RecordingCoordinator()
beforeAll(async () => {
  database = await createDatabase()
  await database.run(
    `CREATE TABLE "Step" (id int PRIMARY KEY, "nextId" int UNIQUE REFERENCES "Step" ON UPDATE CASCADE);`,
  )
  client = createClientOfText(database.url, schema)
  step = (extendPrisma(client, recorder) as unknown as { step: Step }).step
})
afterAll(async () => {
  await recorder.ended()
  await client.$disconnect()
  await database.drop()
})

describe('an update of the key of a row that leads to itself', () => {
  const lookups = { Step: [{ key: ['nextId'], fields: ['nextId', 'id'], through: undefined }] }
  it.each<[string, (step: Step) => Promise<unknown>]>([
    ['already', (step) => step.update({ where: { id: 1 }, data: { id: 9 } })],
    ['already, in a bulk write', (step) => step.updateMany({ where: { id: 1 }, data: { id: 9 } })],
    ['from then on', (step) => step.update({ where: { id: 2 }, data: { id: 9, nextId: 2 } })],
  ])('%s announces the entry that it enters, and its new id', async (_, write) => {
    for (const [caches, announced] of [
      [[['id']], /^markJoined Step \{"nextId":9\} by nextId|^markWritten all Step/],
      [[['nextId']], /^markWritten Step.* \{"nextId":9\}|^markWritten all Step/],
    ] as const) {
      await database.run('DELETE FROM "Step"; INSERT INTO "Step" VALUES (1, 1), (2, NULL);')
      Object.assign(recorder, { caches: { Step: caches }, lookups })
      await recorder.take()
      await write(step)
      const moved = await database.rows(`SELECT * FROM "Step" WHERE id = 9`)
      expect(moved).toEqual([{ id: 9, nextId: 9 }])
      expect(await recorder.take()).toContainEqual(expect.stringMatching(announced))
    }
  })
})
