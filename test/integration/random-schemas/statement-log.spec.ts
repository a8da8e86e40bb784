import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma } from 'model-cache'
import pg from 'pg'
import { Random } from '../differential/random.ts'
import { clientOfText } from '../writes/client-of-text.js'
import { AnnouncedChanges } from './announced-changes.ts'
import { dialects } from './dialects.ts'
import { type LoggingServer, startLoggingServer } from './logged-statements.ts'
import { randomRows, refilling } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { type Client, randomWork, run } from './random-work.ts'

const schemas = Number(process.env.SCHEMAS ?? 6)
const writes = 12
const first = Number(process.env.SCHEMAS_SEED ?? 50_000)

let server: LoggingServer
let sql: pg.Client
beforeAll(async () => {
  server = await startLoggingServer()
  sql = new pg.Client({ connectionString: server.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await server.stop()
})

/** What the library may add: its questions to the catalogue, locks and rows as they are afterwards, and its own transactions. */
const added = /^(?:BEGIN|COMMIT|ROLLBACK)$|^SELECT /

/** A statement without the columns that the library has it return. */
function withoutReturning(statement: string): string {
  return withoutRemark(statement)
    .replace(/^WITH "mc" AS \(([^]*)\) SELECT [^]*? FROM "mc" LIMIT \d+/, '$1')
    .replace(/(?: RETURNING |, )(?:1|(?:"\w+" AS "mc \d+"(?:, )?)+)(?= -- |$)/, '')
}

/** A statement without the comment at its end, before which the columns are added. */
function withoutRemark(statement: string): string {
  return statement.replace(' -- of them', '')
}

/** The first statement of a plain client that the other one has not sent in its place, or has sent beside it; undefined if there is none. */
function differenceOf(plain: readonly string[], extended: readonly string[]): string | undefined {
  let next = 0
  for (const statement of extended) {
    if (next < plain.length && withoutReturning(statement) === withoutRemark(plain[next]!)) next++
    else if (!added.test(statement)) return `it also sends ${statement}`
  }
  return next < plain.length ? `it does not send ${plain[next]}` : undefined
}

it('the server is sent the statements of a plain client, with more that they return, locks and transactions', async () => {
  let changing = 0
  for (let seed = first; seed < first + schemas; seed++) {
    const random = new Random(seed)
    const schema = randomSchema(random, dialects.postgresql)
    // Both would generate other numbers.
    if (schema.text.includes('autoincrement()') || schema.isRestricted) continue
    await sql.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schema.tables}`)
    const open = (application_name: string): Client =>
      clientOfText(
        new PrismaPg({ connectionString: server.url, application_name }),
        schema.text,
      ) as unknown as Client
    const changes = new AnnouncedChanges()
    const [plain, extended] = [open('plain'), extendPrisma(open('extended'), changes)]
    for (let write = 0; write < writes; write++) {
      const rows = randomRows(random, schema)
      changes.choose(random, schema)
      const work = randomWork(random, schema, rows)
      const statements: (readonly string[])[] = []
      for (const [name, client] of Object.entries({ plain, extended })) {
        await sql.query(refilling(schema, rows))
        await run(client, work)
        statements.push(await server.statementsOf(name))
      }
      const difference = differenceOf(statements[0]!, statements[1]!)
      if (difference !== undefined)
        throw new Error(
          [
            `seed ${seed}, write ${write}: ${difference}`,
            JSON.stringify(work),
            ...statements[0]!,
            'and',
            ...statements[1]!,
          ].join('\n'),
        )
      if (statements[0]!.some((statement) => /^(?:INSERT|UPDATE|DELETE)/.test(statement))) changing++
    }
    await Promise.all([plain.$disconnect(), extended.$disconnect()])
  }
  expect(changing).toBeGreaterThan(schemas)
})
