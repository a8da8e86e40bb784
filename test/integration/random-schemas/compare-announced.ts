import { extendPrisma } from 'model-cache'
import type { TestDatabase } from '../../support/test-database.ts'
import { Random } from '../differential/random.ts'
import { createClientOfText } from '../writes/client-of-text.js'
import { AnnouncedChanges } from './announced-changes.ts'
import { type Query, randomQuery } from './random-nested-write.ts'
import { randomRows, refilling, type Row, type Rows } from './random-rows.ts'
import { randomSchema, type Schema } from './random-schema.ts'

type Delegate = Record<string, (args: object) => PromiseLike<unknown>>
type Client = Record<string, Delegate> & {
  $transaction(work: unknown): Promise<unknown>
  $disconnect(): Promise<void>
}

export interface Comparison {
  /** How many writes have changed rows; the database refuses many. */
  readonly changing: number
  /** The first write that has changed something without announcing it, for people. */
  readonly missed: string | undefined
}

/** Runs random writes on random schemas, of so many seeds from the first one on, and ends with the first write that misses something. */
export async function compareAnnounced(
  database: TestDatabase,
  { first, schemas, writes }: { first: number; schemas: number; writes: number },
): Promise<Comparison> {
  let changing = 0
  for (let seed = first; seed < first + schemas; seed++) {
    const comparison = await compareSchema(database, seed, writes)
    changing += comparison.changing
    if (comparison.missed !== undefined) return { changing, missed: comparison.missed }
  }
  return { changing, missed: undefined }
}

/** The writes of one schema, each on other rows and with other caches. The seed decides all of it. */
async function compareSchema(database: TestDatabase, seed: number, writes: number): Promise<Comparison> {
  const random = new Random(seed)
  const schema = randomSchema(random)
  await database.run(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schema.tables}`)
  const client = createClientOfText(database.url, schema.text)
  const changes = new AnnouncedChanges()
  const maxRows = random.chance(30) ? 2 : 1000
  const extended = extendPrisma(client, changes, { maxRows }) as unknown as Client
  let changing = 0
  try {
    for (let write = 0; write < writes; write++) {
      const rows = randomRows(random, schema)
      changes.choose(random, schema)
      const query = randomQuery(random, schema.models, rows)
      const form = random.chance(80) ? 'alone' : random.pick(['batch', 'callback'])
      await database.run(refilling(schema, rows))
      const before = await rowsIn(database, schema)
      await run(extended, query, form)
      const after = await rowsIn(database, schema)
      if (textOf(before) !== textOf(after)) changing++
      const missed = changes.missed(schema, before, after)
      if (missed.length > 0) {
        const text = [
          `seed ${seed}, write ${write}, ${form}, maxRows ${maxRows}\n${schema.text}`,
          `${query.model}.${query.operation} ${JSON.stringify(query.args)}`,
          `caches: ${JSON.stringify([...changes.caches])}`,
          `before:${textOf(before)}`,
          `after:${textOf(after)}`,
          `announced: ${JSON.stringify(changes.announced())}`,
          `not announced: ${missed.join('; ')}`,
        ].join('\n')
        return { changing, missed: text }
      }
    }
  } finally {
    await client.$disconnect()
  }
  return { changing, missed: undefined }
}

function textOf(rows: Rows): string {
  return [...rows]
    .map(([name, all]) => `\n  ${name} ${all.map((row) => JSON.stringify(row)).join(' ')}`)
    .join('')
}

/** A write that is refused has changed nothing. */
async function run(client: Client, { args, model, operation }: Query, form: string): Promise<void> {
  const call = (tx: Client): PromiseLike<unknown> =>
    tx[`${model[0]!.toLowerCase()}${model.slice(1)}`]![operation]!(args)
  try {
    if (form === 'alone') await call(client)
    else await client.$transaction(form === 'batch' ? [call(client)] : (tx: Client) => call(tx))
  } catch (error) {
    const isOfPrisma = error instanceof Error && error.name.startsWith('PrismaClient')
    if (!isOfPrisma) throw error
  }
}

async function rowsIn(database: TestDatabase, { joinTables, models }: Schema): Promise<Rows> {
  const tables = [
    ...models.map(({ fields, name, table }) => ({
      name,
      table,
      columns: [...fields].map(([field, { column }]) => [field, column]),
    })),
    ...joinTables.map(({ table }) => ({
      name: table,
      table,
      columns: ['A', 'B'].map((column) => [column, column]),
    })),
  ]
  const queries = tables.map(({ columns, name, table }) => {
    const pairs = columns.map(([field, column]) => `'${field}', "${column}"`).join(', ')
    return `SELECT '${name}' AS name, json_agg(json_build_object(${pairs}) ORDER BY t::text) AS rows FROM "${table}" t`
  })
  const found = await database.rows<{ name: string; rows: Row[] | null }>(queries.join(' UNION ALL '))
  return new Map(found.map(({ name, rows }) => [name, rows ?? []]))
}
