import { extendPrisma, verifyExtension, type WriteCoordinator } from 'model-cache'
import pg from 'pg'
import { createDatabase } from '../../support/servers.js'
import { createFoldersClient, folderKeys, type FoldersClient, foldersSql } from './folders.js'
import { createRandom, randomWrite } from './random-writes.js'

let other: pg.Client
let client: FoldersClient
let close: () => Promise<void>

beforeAll(async () => {
  const { url, drop } = await createDatabase()
  other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query(foldersSql)
  client = createFoldersClient(url)
  close = async () => {
    await client.$disconnect()
    await other.end()
    await drop()
  }
})
afterAll(() => close())

/** Whole models, and rows as `File:7/a`. */
const touched = new Set<string>()
/** Models of which rows with unknown ids were created. */
const created = new Set<string>()
const units = { begun: 0, settled: 0 }
let cached: readonly string[] = []
const nameOf = (model: string, row: Record<string, unknown>) =>
  `${model}:${folderKeys[model]!.map((field) => String(row[field])).join('/')}`
const coordinator: WriteCoordinator = {
  idFieldsOf: (model) => (cached.includes(model) ? [folderKeys[model]!] : []),
  prepare: () => undefined,
  begin() {
    units.begun++
    return {
      touch: (model, rows) => rows.forEach((row) => touched.add(nameOf(model, row))),
      touchAll: (model) => void touched.add(model),
      touchCreated: (model) => void created.add(model),
      isFenced: true,
      fence: async () => {},
      settle: async () => void units.settled++,
    }
  },
  within: (_unit, _client, work) => work(),
}

/** All rows of the database, by name. */
async function snapshot(): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for (const model of Object.keys(folderKeys)) {
    const found = await other.query(`SELECT * FROM "${model}"`)
    for (const row of found.rows) rows.set(nameOf(model, row), JSON.stringify(row))
  }
  return rows
}

/** Seven folders in a tree, with files, notes, locks and tags. */
async function refill(random: (below: number) => number): Promise<void> {
  await other.query('TRUNCATE "Folder", "File", "Note", "Lock", "Tag", "_FolderToTag" RESTART IDENTITY')
  for (let id = 1; id <= 7; id++) {
    const parent = id > 2 ? 1 + random(id - 1) : null
    await other.query('INSERT INTO "Folder" VALUES ($1, $2, $3, $4)', [
      id,
      'f',
      id < 4 ? `c${id}` : null,
      parent,
    ])
    for (const name of ['a', 'b', 'c'].slice(random(3))) {
      await other.query('INSERT INTO "File" VALUES ($1, $2)', [id, name])
      if (random(3) === 0) await other.query('INSERT INTO "Note" VALUES (DEFAULT, $1, $2)', [id, name])
    }
    await other.query('INSERT INTO "Tag" VALUES ($1)', [id])
    if (id < 6) await other.query('INSERT INTO "Lock" VALUES ($1, $2)', [id, id > 3 ? null : id])
    await other.query('INSERT INTO "_FolderToTag" VALUES ($1, $1)', [id])
  }
}

describe('whatever is written', () => {
  it('every row of a cached model that changes was touched', async () => {
    const random = createRandom(20_261_121)
    const prisma = extendPrisma(client, coordinator, { maxRows: 3 })
    expect(await verifyExtension(prisma)).toEqual([])
    const untouched: string[] = []
    const strange: Error[] = []
    const counts = { changed: 0, rows: 0, models: 0 }
    for (let run = 0; run < 600; run++) {
      if (run % 4 === 0) {
        await refill(random)
        cached = Object.keys(folderKeys).filter(() => random(3) > 0)
      }
      const before = await snapshot()
      touched.clear()
      created.clear()
      const writes = [randomWrite(random), randomWrite(random)] as const
      const form = random(4)
      await (
        form < 2
          ? writes[0](prisma)
          : form === 2
            ? prisma.$transaction(writes.map((write) => write(prisma)))
            : prisma.$transaction(async (tx) => [await writes[0](tx), await writes[1](tx)])
      ).catch((error: Error) => {
        if (error.name !== 'PrismaClientKnownRequestError') strange.push(error)
      })
      const after = await snapshot()
      for (const row of new Set([...before.keys(), ...after.keys()])) {
        const model = row.slice(0, row.indexOf(':'))
        if (before.get(row) === after.get(row) || !cached.includes(model)) continue
        counts.changed++
        if (touched.has(row)) counts.rows++
        else if (touched.has(model) || (created.has(model) && !before.has(row))) counts.models++
        else untouched.push(`run ${run}: ${row} was ${before.get(row)}, is ${after.get(row)}`)
      }
    }
    expect(untouched).toEqual([])
    expect(strange).toEqual([])
    expect(units.settled).toBe(units.begun)
    // What was compared: rows of either kind, many of them.
    expect(counts.rows).toBeGreaterThan(100)
    expect(counts.models).toBeGreaterThan(100)
  }, 120_000)
})
