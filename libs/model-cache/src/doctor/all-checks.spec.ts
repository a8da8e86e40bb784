import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findingLines } from '../../../../test/support/answering-node.js'
import { FakeServer } from '../../../../test/support/fake-server.js'
import { allChecks, type DoctorOptions } from './all-checks.js'
import { diagnose } from './doctor.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'all-checks-'))
  const parser = createRequire(import.meta.url).resolve('typescript')
  write('node_modules/typescript/index.js', `module.exports = require(${JSON.stringify(parser)})`)
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const optionsWith = (changed: Partial<DoctorOptions>): DoctorOptions => ({
  folder,
  valkey: undefined,
  database: undefined,
  namespace: 'shop',
  source: undefined,
  schema: undefined,
  follow: false,
  slot: undefined,
  publication: undefined,
  fenceMs: 10_000,
  deadlineMs: 250,
  replicas: undefined,
  ...changed,
})

/** What is found, but for the version of Node. */
async function found(options: Partial<DoctorOptions> = {}): Promise<string[]> {
  const { checks, close } = allChecks(optionsWith(options))
  try {
    const { findings } = await diagnose(checks, 60_000)
    return findingLines(findings.filter(({ id }) => id !== 'project.node'))
  } finally {
    await close()
  }
}
const idsIn = (lines: readonly string[]): string[] => lines.map((line) => line.split(':')[0]!)
const nothing = ['note valkey.url', 'note postgres.url']

describe('allChecks', () => {
  it('says that servers were not checked whose URLs are unknown', async () => {
    const lines = await found()
    expect(idsIn(lines)).toEqual(nothing)
    expect(lines[0]).toBe(
      'note valkey.url: Valkey was not checked: there is no URL. → Give --valkey, or set VALKEY_URL.',
    )
  })

  it('says that servers cannot be reached', async () => {
    const options = { valkey: { url: 'valkey://127.0.0.1:1' }, follow: true }
    expect(idsIn(await found({ ...options, database: 'postgres://127.0.0.1:1/shop' }))).toEqual([
      'error valkey.reachable',
      'error postgres.reachable',
    ])
    for (const database of ['mysql://127.0.0.1:1/shop', 'mariadb://127.0.0.1:1/shop']) {
      const lines = await found({ database })
      expect(idsIn(lines)).toEqual(['note valkey.url', 'error mysql.reachable'])
      expect(lines[1]).toMatch(/^error mysql.reachable: The database cannot be checked: .*127\.0\.0\.1:1/)
    }
  })

  it('checks the source, without the client that Prisma has generated', async () => {
    write('src/db.ts', 'const db = new PrismaClient()')
    write('src/client/client.ts', 'const db = new PrismaClient()')
    const unextended = 'warning source.unextended-client'
    expect(idsIn(await found())).toEqual([...nothing, unextended, unextended])
    const schema = { text: '', client: 'src/client/client.js' }
    expect(idsIn(await found({ schema }))).toEqual([...nothing, unextended])
    expect(idsIn(await found({ source: ['src/client'] }))).toEqual([...nothing, unextended])
  })

  it('says that the project has no TypeScript', async () => {
    rmSync(join(folder, 'node_modules'), { recursive: true })
    write('src/db.ts', 'const db = new PrismaClient()')
    expect(idsIn(await found())).toEqual([...nothing, 'note source.typescript'])
  })

  it('says that the number of replicas is unknown, unless it is given', async () => {
    write('src/app.ts', 'f({ consistency: { replicas } })')
    expect(idsIn(await found())).toEqual([...nothing, 'note source.unknown-replicas'])
    for (const replicas of [0, 1]) expect(idsIn(await found({ replicas }))).toEqual(nothing)
  })
})

describe('the connections of allChecks', () => {
  it('end when it is closed', async () => {
    const server = await FakeServer.start({ 'CLUSTER SLOTS': new Error('ERR unknown command') })
    const { close } = allChecks(optionsWith({ valkey: { url: `valkey://${server.name}` } }))
    await close()
    await server.isLeft()
    FakeServer.stopAll()
  })
})
