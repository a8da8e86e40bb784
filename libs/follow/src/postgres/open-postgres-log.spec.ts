import { EventEmitter } from 'node:events'
import { tableKey } from 'model-cache/internal'
import { postgresClient } from '../../../../test/support/answering-client.js'
import { followedTable } from '../../../../test/support/scripted-log.js'
import type { LoggedTable } from '../logged-change.js'
import type { AdvisoryLock } from './advisory-lock.js'
import { FollowedPublication } from './followed-publication.js'
import { OpenPostgresLog } from './open-postgres-log.js'
import { ReplicationStream } from './replication-stream.js'

const lots = followedTable('lots')

/** The description of a table without columns. */
const description = Buffer.concat([
  Buffer.from('w'),
  Buffer.alloc(24),
  Buffer.from('R'),
  Buffer.alloc(4),
  Buffer.from('public\0lots\0d'),
  Buffer.alloc(2),
])

function openLog() {
  const said: string[] = []
  const versions = { '["public","lots"]': 'first' }
  const { client } = postgresClient([
    ['json_object_agg', () => [{ versions: { ...versions } }]],
    ['puballtables', [{ all: true, root: true, changes: true }]],
  ])
  const run = (work: (one: typeof client) => unknown) => work(client)
  const publication = new FollowedPublication('shop', { run, ask: run } as unknown as AdvisoryLock, undefined)
  const wire = Object.assign(new EventEmitter(), {
    stream: {
      pause: () => void said.push('pause'),
      resume: () => void said.push('resume'),
      destroy: () => void said.push('destroy'),
    },
    sendCopyFromChunk: (chunk: Buffer) =>
      void said.push(`${chunk[33] === 1 ? 'ask' : 'confirm'} ${chunk.readBigUInt64BE(9)}`),
  })
  const replication = Object.assign(new EventEmitter(), {
    connection: wire,
    query: () => new Promise(() => {}),
    end: async () => void said.push('end'),
  })
  const stream = new ReplicationStream(replication as never, {
    columnsOf: ({ name }: LoggedTable) => {
      said.push(`columns of ${name}`)
      return new Set()
    },
    listener: { onChange() {}, onCommit() {}, onAlive() {} },
  })
  void stream.start('slot', 'shop').catch(() => {})
  const opened = { isNew: false, durable: '1.1:slot', resumesAt: 10n, end: 20n, problems: [] }
  const log = new OpenPostgresLog(publication, stream, opened)
  return { log, opened, replication, said: () => said.splice(0), versions, wire }
}

describe('a slot that is being read', () => {
  it('says where it was opened, which PostgreSQL knows by itself', () => {
    const { log, opened } = openLog()
    expect(log).toMatchObject(opened)
    expect(log.placeOf()).toBe('')
  })

  it('reads other columns of the tables that it is to follow', async () => {
    const { log, said, versions, wire } = openLog()
    wire.emit('copyData', { chunk: description })
    expect([said(), log.versions]).toEqual([['columns of lots'], new Map()])
    const [problem] = await log.follow([lots])
    expect([problem?.isFollowed, said()]).toEqual([false, ['columns of lots']])
    expect([log.versions, await log.hasChanged()]).toEqual([new Map([[tableKey(lots), 'first']]), false])
    versions['["public","lots"]'] = 'second'
    expect(await log.hasChanged()).toBe(true)
  })

  it('confirms, gives signs of life, waits, and is closed', async () => {
    const { log, replication, said } = openLog()
    log.confirm(15n)
    log.ask()
    log.pause()
    log.resume()
    expect(said()).toEqual(['confirm 15', 'ask 15', 'pause', 'resume'])
    await log.close()
    expect(said()).toEqual(['end', 'destroy'])
    replication.emit('end')
    expect((await log.ended).message).toContain('the replication stream was closed')
  })
})
