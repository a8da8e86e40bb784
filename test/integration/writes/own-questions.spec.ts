/** What the library asks the database for itself is no query of the application. */
import { extendPrisma } from 'model-cache'
import { databaseOf, PrismaStandby } from 'model-cache/advanced'
import type { PrismaClient } from '#prisma/client/client.js'
import { describeOn } from '../../support/describe-databases.js'
import { eventually } from '../../support/eventually.js'
import { heardAdapter } from '../../support/heard-adapter.js'
import { openClientOfText } from './client-of-text.js'
import type { Models } from './compared-writes.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const models = `
model User {
  id   Int    @id
  name String
}
model Active {
  id Int @id
}
`
const tables = (quote: string): string =>
  `CREATE TABLE "User" (id int PRIMARY KEY, name varchar(50) NOT NULL); INSERT INTO "User" VALUES (1, 'a');
   CREATE VIEW "Active" AS SELECT id FROM "User"`.replaceAll('"', quote)

describeOn(['postgresql', 'mysql', 'sqlite', 'sqlite-shared'], 'on $name', (kind) => {
  it('the query log of an extended client has the statements of a plain one, and nothing else', async () => {
    const database = await kind.create()
    await database.run(tables(kind.provider === 'mysql' ? '`' : '"'))
    const opened: PrismaClient[] = []
    const open = async (log: string[]): Promise<PrismaClient> => {
      const client = await openClientOfText(database.adapter(2), models)
      client.$on('query' as never, ({ query }: { query: string }) => void log.push(query))
      opened.push(client)
      return client
    }
    const write = async (client: PrismaClient): Promise<void> => {
      const { user } = client as unknown as Models
      await user!['update']!({ where: { id: 1 }, data: { name: 'b' } })
      await user!['updateMany']!({ where: { name: 'b' }, data: { name: 'c' } })
      await client.$transaction(async (tx) =>
        (tx as unknown as Models)['user']!['create']!({ data: { id: 2, name: 'd' } }),
      )
      await user!['deleteMany']!({ where: { name: { in: ['c', 'd'] } } })
      await user!['createMany']!({ data: [{ id: 1, name: 'a' }] })
    }
    const [expected, seen]: string[][] = [[], []]
    const plain = await open(expected!)
    await write(plain)

    const recorder = new RecordingCoordinator()
    recorder.caches = { User: [['id']] }
    const coordinator = Object.assign(recorder, { forSchema: () => recorder })
    const client = extendPrisma(await open(seen!), coordinator)
    const questions = databaseOf(client)
    await questions.describe()
    const { kind: found, tables: read } = (await questions.sharedTables!())!.of({
      schema: 'public',
      name: 'Active',
    })!
    expect([found, read.map(({ name }) => name.toLowerCase())]).toEqual(['view', ['user']])
    if (kind.provider === 'postgresql')
      expect(await new PrismaStandby(client, client).passed(new AbortController().signal)).toBe(true)
    await write(client)
    expect(seen).toEqual(expected)
    // What is asked after the client has connected again.
    await client.$disconnect()
    await databaseOf(client).describe()
    expect(seen).toEqual(expected)
    for (const each of opened) await each.$disconnect()
    await database.drop()
  })
  it('no transaction waits for what another write asks, which may wait for its connection', async () => {
    const database = await kind.create()
    await database.run(tables(kind.provider === 'mysql' ? '`' : '"'))
    let isAsking = false
    const sent = (): void => void (isAsking = true)
    const adapter = heardAdapter(database.adapter(1), { sent })
    const recorder = new RecordingCoordinator()
    recorder.caches = { User: [['id']] }
    const client = extendPrisma(await openClientOfText(adapter, models), recorder)
    const write = async (by: object): Promise<unknown> =>
      (by as Models)['user']!['updateMany']!({ where: { name: 'a' }, data: { name: 'a' } })
    await client.$connect()
    const results = await client.$transaction(async (tx) => {
      isAsking = false
      const other = write(client)
      await eventually(() => isAsking)
      return { own: await write(tx), other: [other] }
    })
    expect([results.own, await results.other[0]]).toEqual([{ count: 1 }, { count: 1 }])
    await client.$disconnect()
    await database.drop()
  }, 20_000)
})
