import { SharedTables } from '../shared-tables.js'
import { ClientSchema } from './client-schema.js'
import { describeSchemaText } from './schema/describe-schema.js'

const facts = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model User {
  id Int @id
}
model Active {
  id Int @id
}
`)
const place = (name: string) => ({ schema: 'public', name })
const shared = new SharedTables([{ ...place('Active'), kind: 'view', of: [place('User')] }], false)
const unknown = async () => undefined
const of = (schema: ClientSchema, model: string) => {
  const rows = schema.models.get(model)!.shared
  return rows === 'unknown' ? rows : rows?.tables
}

describe('the tables of a client', () => {
  it('may share rows with any until the database has answered', async () => {
    let isDown = true
    const sharedTables = async () => {
      if (isDown) throw new Error('down')
      return shared
    }
    const schema = new ClientSchema(facts, { describe: unknown, sharedTables })
    await schema.prepare()
    expect([of(schema, 'User'), of(schema, 'Active')]).toEqual(['unknown', 'unknown'])
    isDown = false
    await schema.prepare()
    expect([of(schema, 'User'), of(schema, 'Active')]).toEqual([undefined, [place('User')]])
    expect(schema.prepare()).toBeUndefined()
  })

  it('stay the same once the database has answered, however often it was asked', async () => {
    const answers = [shared, shared].map(() => Promise.withResolvers<SharedTables>())
    const questions = answers.values()
    const schema = new ClientSchema(facts, {
      describe: unknown,
      sharedTables: () => questions.next().value!.promise,
    })
    const asked = answers.map(() => schema.prepare())
    answers[0]!.resolve(shared)
    await asked[0]
    const { models } = schema
    answers[1]!.resolve(shared)
    await asked[1]
    expect(schema.models).toBe(models)
  })

  it.each([
    ['share none where there is nothing to ask', {}, undefined],
    ['may share rows with any where the database refuses', { sharedTables: unknown }, 'unknown'],
  ])('%s', async (_, database, expected) => {
    const schema = new ClientSchema(facts, { describe: unknown, ...database })
    await schema.prepare()
    expect(of(schema, 'Active')).toBe(expected)
  })
})
