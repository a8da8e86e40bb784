import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findingLines } from '../../../../test/support/answering-node.js'
import {
  answeringMysql,
  answeringPostgres,
  stopAnswering,
} from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import { FakeServer } from '../../../../test/support/fake-server.js'
import { allChecks, type DoctorOptions } from './all-checks.js'
import { diagnose } from './doctor.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'all-checks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const optionsWith = (changed: Partial<DoctorOptions>): DoctorOptions => ({
  folder,
  valkey: undefined,
  database: undefined,
  namespace: 'shop',
  schema: undefined,
  isFollowed: false,
  slot: undefined,
  publication: undefined,
  fenceMs: 10_000,
  deadlineMs: 250,
  replicas: 0,
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
    const options = { valkey: { url: 'valkey://127.0.0.1:1' }, isFollowed: true }
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
})

describe('a database that lets clients in and answers no query', () => {
  afterEach(stopAnswering)

  it('is one that cannot be reached', async () => {
    const postgres = await answeringPostgres([['SELECT', 'silence']])
    const mysql = await answeringMysql([['SELECT', 'silence']])
    const lines = await Promise.all([
      found({ database: `postgres://app@127.0.0.1:${postgres.port}/shop` }),
      found({ database: `mysql://app@127.0.0.1:${mysql.port}/shop` }),
    ])
    expect(lines.map(idsIn)).toEqual([
      ['note valkey.url', 'error postgres.reachable'],
      ['note valkey.url', 'error mysql.reachable'],
    ])
    await eventually(() => postgres.open() + mysql.open() === 0)
  }, 10_000)
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
