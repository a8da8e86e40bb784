import { extendPrisma } from 'model-cache'
import pg from 'pg'
import { createDatabase } from '../../support/servers.js'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

type Client = Record<string, Record<string, (args: object) => Promise<unknown>>>

/** Rows of models with a cache that a write has changed, as `Event {"id":1}`, and those of them that it has not announced. */
interface ChangedRows {
  readonly changed: readonly string[]
  readonly missed: readonly string[]
}

/** A database whose writes tell which rows they announce. Every model has an integer `id`. */
export interface AnnouncedRows {
  readonly prisma: Client
  /** Drops the tables, and creates and fills them. */
  refill(): Promise<void>
  /** `cached`: the models that have a cache. */
  changedBy(cached: readonly string[], write: () => Promise<unknown>): Promise<ChangedRows>
  close(): Promise<void>
}

/** @param tables creates and fills the tables of the models in the Prisma schema */
export async function openAnnouncedRows(schema: string, tables: string): Promise<AnnouncedRows> {
  const models = [...schema.matchAll(/^model (\w+)/gm)].map(([, model]) => model!)
  const { drop, url } = await createDatabase()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  const client = createClientOfText(url, schema)
  const recorder = new RecordingCoordinator()
  const prisma = extendPrisma(client, recorder) as unknown as Client

  const allRows = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    for (const model of models) {
      const { rows } = await sql.query<{ id: number; all: string }>(
        `SELECT id, t::text AS all FROM "${model}" t ORDER BY id`,
      )
      for (const { all, id } of rows) found.set(`${model} {"id":${id}}`, all)
    }
    return found
  }

  return {
    prisma,
    async refill() {
      await sql.query(`DROP TABLE IF EXISTS ${models.map((model) => `"${model}"`).join()} CASCADE`)
      await sql.query(tables)
    },
    async changedBy(cached, write) {
      recorder.caches = Object.fromEntries(cached.map((model) => [model, [['id']]]))
      await recorder.take()
      const before = await allRows()
      await write()
      const after = await allRows()
      const announced = new Set((await recorder.take()).flatMap(rowsIn))
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (row) => cached.includes(modelOf(row)) && before.get(row) !== after.get(row),
      )
      const isAnnounced = (row: string): boolean =>
        announced.has(row) ||
        announced.has(`all ${modelOf(row)}`) ||
        (!before.has(row) && announced.has(`created ${modelOf(row)}`))
      const missed = changed.filter((row) => !isAnnounced(row))
      return { changed, missed }
    },
    async close() {
      await client.$disconnect()
      await sql.end()
      await drop()
    },
  }
}

function modelOf(row: string): string {
  return row.slice(0, row.indexOf(' '))
}

/** The rows that an event of the recorder names; `all Event` for all rows of a model, `created Event` for unknown new ones. */
function rowsIn(event: string): string[] {
  const [, several] = /^markWritten ((?:all|created) \w+):/.exec(event) ?? []
  if (several) return [several]
  const [, model, rows] = /^markWritten (\w+) (\{.*\})$/.exec(event) ?? []
  return rows ? rows.split(' ').map((row) => `${model} ${row}`) : []
}
