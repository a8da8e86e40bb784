import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from './command.js'
import { runCommandLine } from './run-command-line.js'
import { suggestCommand } from './suggest-command.js'

const GOLDEN = join(import.meta.dirname, 'golden/suggestions.txt')

const schema = `
datasource db { provider = "postgresql" }
model Team {
  id      Int      @id
  slug    String   @unique
  plan    String
  members Member[]
  lots    Lot[]
}
model Member {
  userId Int
  teamId Int
  role   String
  team   Team @relation(fields: [teamId], references: [id])
  @@id([teamId, userId])
  @@index([userId])
}
model Lot {
  id        Int       @id
  code      String    @unique
  title     String
  secret    String
  teamId    Int
  price     Int
  endsAt    DateTime?
  createdAt DateTime
  team      Team      @relation(fields: [teamId], references: [id])
  bids      Bid[]
  tags      Tag[]
}
model Bid {
  id     Int @id
  lotId  Int
  amount Int
  lot    Lot @relation(fields: [lotId], references: [id])
}
model Tag {
  name String @id
  lots Lot[]
}`

const lots = ['id', 'code', 'title', 'teamId', 'price', 'endsAt', 'createdAt']
const bypassed = (model: string, queries: readonly object[]) => queries.map((query) => ({ model, ...query }))

const queries = {
  composed: ['default'],
  takesAnyRow: false,
  models: [
    {
      model: 'Lot',
      answered: 600,
      omitted: [],
      caches: [{ name: 'Lot', idFields: ['id'], fields: lots, exactFields: lots, lookups: [] }],
      bypassed: bypassed('Lot', [
        { action: 'findUnique', reason: 'fields', count: 90, args: { where: { id: '?' } } },
        {
          action: 'findMany',
          reason: 'condition',
          count: 80,
          args: { where: { teamId: '?' }, orderBy: { createdAt: 'desc' }, take: 20, omit: { secret: true } },
        },
        {
          action: 'findUnique',
          reason: 'condition',
          count: 70,
          args: { where: { code: '?' }, select: { id: true } },
        },
        {
          action: 'findUnique',
          reason: 'relations',
          count: 60,
          args: {
            where: { id: '?' },
            select: { title: true, bids: { orderBy: { amount: 'desc' } }, team: true },
          },
        },
        {
          action: 'findMany',
          reason: 'condition',
          count: 40,
          args: { where: { tags: { some: { name: '?' } } }, select: { id: true } },
        },
        { action: 'count', reason: 'condition', count: 20, args: { where: { teamId: '?', endsAt: null } } },
        { action: 'findMany', reason: 'condition', count: 15, args: { where: { title: { contains: '?' } } } },
        { action: 'findUnique', reason: 'transaction', count: 10 },
      ]),
    },
    {
      model: 'Member',
      answered: 0,
      omitted: [],
      bypassed: bypassed('Member', [
        {
          action: 'findMany',
          reason: 'no_cache',
          count: 10,
          args: { where: { userId: '?' }, include: { team: true } },
        },
        {
          action: 'findFirst',
          reason: 'no_cache',
          count: 5,
          args: { where: { userId: '?', role: '?' }, orderBy: { teamId: 'asc' } },
        },
      ]),
    },
  ],
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-cache-suggest-'))
  writeFileSync(join(folder, 'schema.prisma'), schema)
})
afterEach(() => rmSync(folder, { recursive: true }))

async function suggest(json: unknown, ...options: readonly string[]) {
  writeFileSync(join(folder, 'queries.json'), typeof json === 'string' ? json : JSON.stringify(json))
  const lines: string[] = []
  const errors: string[] = []
  const code = await runCommandLine(['suggest', '--from', 'queries.json', ...options], {
    line: (text) => lines.push(text),
    errorLine: (text) => errors.push(text),
    folder,
    environment: {},
  })
  return { code, text: `${lines.join('\n')}\n`, errors: errors.join('\n') }
}

describe('suggest', () => {
  it('prints what to declare, with its gain, its cost and its index, and what remains', async () => {
    const { code, text } = await suggest(queries)
    expect(code).toBe(0)
    if (process.env.UPDATE) writeFileSync(GOLDEN, text)
    expect(text).toBe(readFileSync(GOLDEN, 'utf8'))
  })

  it('adds the queries of all roots and processes in an answer of the inspector', async () => {
    const { text } = await suggest({ roots: [queries, queries] }, '--json')
    const { total } = JSON.parse(text) as { total: number }
    expect(total).toBe(2_000)
  })

  it.each([
    ['{', 'queries.json cannot be read'],
    ['{}', 'queries.json has no queries. Save the answer of GET <inspector>/api/v1/queries in it.'],
  ])('refuses %s', async (json, problem) => {
    expect(await suggest(json)).toMatchObject({ code: 2, errors: expect.stringContaining(problem) })
  })

  it('needs a file with queries', async () => {
    const output = { line: () => {}, folder, environment: {} }
    await expect(suggestCommand.run([], output)).rejects.toThrow(new UsageError(suggestCommand.usage))
    await expect(suggestCommand.run(['--from', 'missing.json'], output)).rejects.toThrow(
      /^missing\.json cannot be read: ENOENT/,
    )
  })
})
