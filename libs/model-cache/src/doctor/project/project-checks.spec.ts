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

async function found(source: readonly SourceCode[]): Promise<string[]> {
  const checks = projectChecks({ folder, source, schema: undefined })
  const lines = findingLines((await diagnose(checks)).findings)
  return lines.map((line) => line.split(':')[0]!)
}

const node = 'ok project.node'

describe('projectChecks', () => {
  it('finds what is installed, and clients that are not extended', async () => {
    write('node_modules/rxjs/package.json', '{"version":"1.0.0"}')
    expect(await found(sourceOf('const db = new PrismaClient()'))).toEqual([
      node,
      'error project.peer-version',
      'warning source.unextended-client',
    ])
  })

  it('says nothing of raw SQL, which the extended client shows', async () => {
    expect(await found(sourceOf('db.$executeRaw`UPDATE lots`'))).toEqual([node])
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
