import { extendPrisma } from 'model-cache'
import type { DatabaseKind } from '../../support/databases.ts'
import type { TestDatabase } from '../../support/test-database.ts'
import { Random } from '../differential/random.ts'
import { clientOfText } from '../writes/client-of-text.js'
import { AnnouncedChanges } from './announced-changes.ts'
import { dialects } from './dialects.ts'
import { randomRows, refilling, type Row, type Rows } from './random-rows.ts'
import { randomSchema, type Schema } from './random-schema.ts'
import { type Client, isRaw, randomWork, run } from './random-work.ts'

export interface Comparison {
  /** How many writes have changed rows; the database refuses many. */
  readonly changing: number
  /** How many of these were of Prisma, on tables without triggers and views, by a role that may do everything. */
  readonly plain: number
  /** How many of the plain ones had all rows of a model count as written, although the tables have few. */
  readonly whole: number
  /** The same of the others: raw SQL, triggers, views and roles. */
  readonly others: number
  readonly wholeOfOthers: number
  /** How many are neither, as they may write two rows only before all of a model count. */
  readonly limited: number
  /** How many writes a plain client has repeated. */
  readonly repeated: number
  /** The first write that has changed something without announcing it, or had another outcome than plain, for people. */
  readonly missed: string | undefined
}

/** Runs random writes on random schemas, of so many seeds from the first one on, and ends with the first write that misses something. */
export async function compareAnnounced(
  kind: DatabaseKind,
  { first, schemas, writes }: { first: number; schemas: number; writes: number },
): Promise<Comparison> {
  const sum = { ...none }
  for (let seed = first; seed < first + schemas; seed++) {
    const database = await kind.create()
    try {
      const { missed, ...counts } = await compareSchema(database, kind, seed, writes)
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name]
      if (missed !== undefined) return { ...sum, missed }
    } finally {
      await database.drop()
    }
  }
  return { ...sum, missed: undefined }
}

/** A `maxRows` that writes of these tables exceed. */
const few = 2

const none = { changing: 0, plain: 0, whole: 0, others: 0, wholeOfOthers: 0, limited: 0, repeated: 0 }

/** The writes of one schema, each on other rows and with other caches. The seed decides all of it. */
async function compareSchema(
  database: TestDatabase,
  { provider }: DatabaseKind,
  seed: number,
  writes: number,
): Promise<Comparison> {
  const random = new Random(seed)
  const schema = randomSchema(random, dialects[provider])
  await database.run(schema.tables)
  const role = schema.isRestricted ? 'restricted' : undefined
  const PrismaClient = await schema.dialect.client()
  const open = (): Client =>
    clientOfText(database.adapter(3, role), schema.text, PrismaClient) as unknown as Client
  const changes = new AnnouncedChanges()
  const maxRows = random.chance(30) ? few : 1000
  const extended = extendPrisma(open(), changes, { maxRows })
  // Both would generate other numbers.
  const plain = schema.text.includes('autoincrement()') || random.chance(60) ? undefined : open()
  const counts = { ...none }
  try {
    for (let write = 0; write < writes; write++) {
      const rows = randomRows(random, schema)
      changes.choose(random, schema)
      const work = randomWork(random, schema, rows)
      const refill = refilling(schema, rows)
      await database.run(refill)
      const before = await rowsIn(database, schema)
      const outcome = await run(extended, work)
      const after = await rowsIn(database, schema)
      const problems = changes.missed(schema, before, after)
      if (textOf(before) !== textOf(after)) {
        counts.changing++
        const isWhole = changes.wholeModels > 0
        if (maxRows === few) counts.limited++
        else if (schema.isPlain && !work.queries.some(isRaw)) {
          counts.plain++
          if (isWhole) counts.whole++
        } else {
          counts.others++
          if (isWhole) counts.wholeOfOthers++
        }
      }
      // Which rows a limit leaves out depends on where they are stored.
      if (plain && !work.queries.some(({ args }) => 'limit' in args)) {
        await database.run(refill)
        const expected = await run(plain, work)
        const plainly = await rowsIn(database, schema)
        if (expected !== outcome) problems.push(`the outcome is ${outcome}, and plain ${expected}`)
        if (textOf(plainly) !== textOf(after)) problems.push(`plain writes other rows:${textOf(plainly)}`)
        counts.repeated++
      }
      if (problems.length > 0) {
        const text = [
          `seed ${seed}, write ${write}, ${work.form}, maxRows ${maxRows}\n${schema.text}\n${schema.tables}`,
          ...work.queries.map(
            ({ args, model, operation }) => `${model}.${operation} ${JSON.stringify(args)}`,
          ),
          `caches: ${JSON.stringify([...changes.caches])}`,
          `before:${textOf(before)}`,
          `after:${textOf(after)}`,
          `announced: ${JSON.stringify(changes.announced())}`,
          `outcome: ${outcome}`,
          `not right: ${problems.join('; ')}`,
        ].join('\n')
        return { ...counts, missed: text }
      }
    }
  } finally {
    await Promise.allSettled([extended.$disconnect(), plain?.$disconnect()])
  }
  return { ...counts, missed: undefined }
}

function textOf(rows: Rows): string {
  return [...rows]
    .map(([name, all]) => `\n  ${name} ${all.map((row) => JSON.stringify(row)).join(' ')}`)
    .join('')
}

async function rowsIn(database: TestDatabase, { dialect, joinTables, models }: Schema): Promise<Rows> {
  const { quote } = dialect
  const tables = [
    ...models.map(({ fields, name, table }) => ({
      name,
      table,
      columns: [...fields].map(([field, { column }]) => ({ field, column })),
    })),
    ...joinTables.map(({ table }) => ({
      name: table,
      table,
      columns: ['A', 'B'].map((column) => ({ field: column, column })),
    })),
  ]
  const found = await database.rowsOfAll(
    tables.map(({ columns, table }) => {
      const selected = columns.map(({ column, field }) => `${quote(column)} AS ${quote(field)}`)
      return `SELECT ${selected.join(', ')} FROM ${quote(table)}`
    }),
  )
  return new Map(tables.map(({ name }, i) => [name, inOrder(found[i]!)]))
}

/** Numbers as JavaScript has them, as some drivers have others, in the order of their text. */
function inOrder(rows: readonly object[]): Row[] {
  return rows
    .map((row): [string, Row] => {
      const values = Object.entries(row).map(([field, value]) => [
        field,
        value === null ? null : Number(value),
      ])
      return [JSON.stringify(values), Object.fromEntries(values) as Row]
    })
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row)
}
