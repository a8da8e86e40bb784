import type { PrismaClient } from '#prisma/client/client.js'
import { describeOn } from '../../support/describe-databases.js'
import { useOpened } from '../../support/use-opened.js'
import { openClientOfText } from '../writes/client-of-text.js'

const schema = `
generator client {
  provider = "prisma-client"
  previewFeatures = ["relationJoins"]
}
model House {
  id   Int   @id
  lots Lot[]
}
model Lot {
  id      Int   @id
  houseId Int
  house   House @relation(fields: [houseId], references: [id])
}
`
const tables = `
CREATE TABLE "House" (id int PRIMARY KEY);
CREATE TABLE "Lot" (id int PRIMARY KEY, "houseId" int NOT NULL REFERENCES "House" (id));
INSERT INTO "House" (id) VALUES (1); INSERT INTO "Lot" (id, "houseId") VALUES (1, 1);`

/** A model of a client. */
type Houses = Record<'findMany', (args: object) => Promise<unknown>>

describeOn(['postgresql', 'mysql'], 'a client with relationJoins on $name', (kind) => {
  const opened = useOpened(async () => {
    const database = await kind.create()
    await database.run(kind.provider === 'mysql' ? tables.replaceAll('"', '`') : tables)
    const client = await openClientOfText(database.adapter(1), schema)
    const connection = await database.adapter(1).connect()
    const { supportsRelationJoins: hasJoins } = connection.getConnectionInfo!()
    await connection.dispose()
    const close = async (): Promise<void> => {
      await client.$disconnect()
      await database.drop()
    }
    return { client, hasJoins, close }
  })

  // What the library takes for granted where it answers relations from caches.
  it('reads relations by joins if its driver adapter says that the server has them', async () => {
    const { client, hasJoins } = opened
    const statements: string[] = []
    ;(client as PrismaClient<'query'>).$on('query', ({ query }) => statements.push(query))
    const { house } = client as unknown as { house: Houses }
    const include = { lots: true }
    const expected = [{ id: 1, lots: [{ id: 1, houseId: 1 }] }]
    expect(await house.findMany({ include })).toEqual(expected)
    expect(statements).toHaveLength(hasJoins ? 1 : 2)
    statements.length = 0
    expect(await house.findMany({ include, relationLoadStrategy: 'query' })).toEqual(expected)
    expect(statements).toHaveLength(2)
    const joined = await house.findMany({ include, relationLoadStrategy: 'join' }).catch(() => 'refused')
    expect(joined).toEqual(hasJoins ? expected : 'refused')
  })
})
