/**
 * The statements that Prisma sends for writes of random schemas are of the forms that are read. `UPDATE=1 npm run test:deep --
 * prisma-statements` adds new shapes to the golden files, and `UPDATE=1 npm run jest -- capture/statement.spec` what is read of them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extendPrisma } from 'model-cache'
import { describeOn } from '../../support/describe-databases.ts'
import { heardAdapter } from '../../support/heard-adapter.ts'
import { Random } from '../differential/random.ts'
import { clientOfText } from '../writes/client-of-text.js'
import { AnnouncedChanges } from './announced-changes.ts'
import { dialects } from './dialects.ts'
import { randomQuery } from './random-nested-write.ts'
import { randomRows, refilling } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { type Client, run } from './random-work.ts'

const first = Number(process.env.SCHEMAS_SEED ?? 300_000)
const schemas = Number(process.env.SCHEMAS ?? 40)
const writes = 25
const isUpdate = process.env.UPDATE === '1'
const golden = join(import.meta.dirname, '../../../libs/model-cache/src/source/prisma/capture/golden')

describeOn(['postgresql', 'mysql', 'sqlite'], 'the statements of Prisma on $name', (kind) => {
  it('are all read', async () => {
    const sent = new Map<string, string>()
    const changes = new AnnouncedChanges()
    for (let seed = first; seed < first + schemas; seed++) {
      const database = await kind.create()
      const random = new Random(seed)
      const schema = randomSchema(random, dialects[kind.provider])
      await database.run(schema.tables)
      const adapter = heardAdapter(database.adapter(3), {
        sent(sql) {
          if (/^(?:INSERT|UPDATE|DELETE|REPLACE|MERGE|WITH)\b/i.test(sql)) sent.set(shapeOf(sql), sql)
        },
      })
      for (const { keys, name } of schema.models) changes.caches.set(name, [keys[0]!])
      const PrismaClient = await schema.dialect.client()
      const plain = clientOfText(adapter, schema.text, PrismaClient) as unknown as Client
      // An extended client has further columns returned.
      const client = isUpdate ? plain : extendPrisma(plain, changes)
      for (let write = 0; write < writes; write++) {
        const rows = randomRows(random, schema)
        await database.run(refilling(schema, rows))
        await run(client, { form: 'alone', queries: [randomQuery(random, schema, rows)] })
      }
      await client.$disconnect()
      await database.drop()
    }
    expect([...changes.reasons]).not.toContain('raw')
    expect(sent.size).toBeGreaterThan(10)
    if (isUpdate) addTo(join(golden, `${kind.provider}.txt`), sent)
  })
})

/** A statement without its names, and with short lists. */
function shapeOf(sql: string): string {
  return sql
    .replaceAll(/(?:["`][^"`]+["`]\.)*["`][^"`]+["`]/g, 'name')
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/(name|\?|DEFAULT|\([^()]*\))(?:, ?(?:name|\?|DEFAULT|\([^()]*\)))*/g, '…')
    .replaceAll(/… = …(?:, … = …|, … = \(… \+ …\))*/g, '… = …')
    .replaceAll(/… (?:=|<>|>) …(?: AND … (?:=|<>|>) …)*/g, '… = …')
}

function addTo(path: string, sent: ReadonlyMap<string, string>): void {
  const known = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('  '))
  const shapes = new Set(known.map(shapeOf))
  const added = [...sent].flatMap(([shape, sql]) => (shapes.has(shape) ? [] : [sql]))
  writeFileSync(path, `${[...known, ...added].toSorted().join('\n')}\n`)
}
