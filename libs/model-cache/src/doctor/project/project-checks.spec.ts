import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { findingLines } from '../../../../../test/support/answering-node.js'
import { diagnose } from '../doctor.js'
import { followsDatabase, projectChecks, setsStatementTimeout } from './project-checks.js'
import { SourceCode } from './source-code.js'

const sourceOf = (...texts: string[]): SourceCode[] =>
  texts.map((text, i) => new SourceCode(ts, `${i}.ts`, text))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'project-checks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** What is found in the source, with the schema at this path. */
async function found(source: readonly SourceCode[], schema?: string): Promise<string[]> {
  const checks = projectChecks({
    folder,
    source,
    schema: schema === undefined ? undefined : { text: '', path: join(folder, schema), client: 'client' },
  })
  const lines = findingLines((await diagnose(checks)).findings)
  return lines.map((line) => line.split(':')[0]!)
}

const node = 'ok project.node'

describe('projectChecks', () => {
  it('finds what is installed, writes in raw SQL, and clients that are not extended', async () => {
    write('node_modules/rxjs/package.json', '{"version":"1.0.0"}')
    expect(await found(sourceOf('const db = new PrismaClient()\ndb.$executeRaw`UPDATE lots`'))).toEqual([
      node,
      'error project.peer-version',
      'warning source.raw-write',
      'warning source.unextended-client',
    ])
  })

  it('reports raw SQL that writes as a note if the database is followed', async () => {
    const source = sourceOf('db.$executeRaw`UPDATE lots`', 'followPostgres({ url })')
    expect(await found(source)).toEqual([node, 'note source.raw-write'])
  })

  const typed = sourceOf('db.$queryRawTyped(close(1))')
  it.each([
    ['beside the schema', 'prisma/sql', 'prisma/schema.prisma'],
    ['in the folder of the schema', 'prisma/sql', 'prisma'],
  ])('reads the queries of TypedSQL %s', async (_, place, schema) => {
    write(`${place}/close.sql`, 'SELECT 1 FROM lots')
    expect(await found(typed, schema)).toEqual([node])
    write(`${place}/close.sql`, 'DELETE FROM lots')
    expect(await found(typed, schema)).toEqual([node, 'warning source.raw-write'])
  })

  it('reports a query of TypedSQL as unknown without its file, or without a schema', async () => {
    write('prisma/sql/open.sql', 'DELETE FROM lots')
    expect(await found(typed, 'prisma')).toEqual([node, 'note source.raw-unknown'])
    expect(await found(typed)).toEqual([node, 'note source.raw-unknown'])
  })
})

describe('followsDatabase', () => {
  it.each([
    ['followPostgres({ url })', true],
    ['follow: followMysql({ url })', true],
    ['module.followElsewhere()', true],
    ['followPostgres', false],
    ['// followPostgres()', false],
    ['follow()', false],
  ])('of %j is %p', (text, expected) => {
    expect(followsDatabase(sourceOf(text))).toBe(expected)
    expect(followsDatabase(sourceOf('other()', text))).toBe(expected)
  })

  it('is false without source', () => {
    expect(followsDatabase([])).toBe(false)
  })
})

describe('setsStatementTimeout', () => {
  it.each([
    ['new Pool({ statement_timeout: 8_000 })', true],
    ["'?options=-c statement_timeout=8s'", true],
    ['idle_statement_timeout_ms', false],
  ])('of %j is %p', (text, expected) => {
    expect(setsStatementTimeout(sourceOf('other()', text))).toBe(expected)
  })
})
