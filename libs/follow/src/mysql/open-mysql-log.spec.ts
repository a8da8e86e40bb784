import { EventEmitter } from 'node:events'
import { tableKey } from 'model-cache/internal'
import { mysqlClient } from '../../../../test/support/answering-client.js'
import type { LogListener } from '../database-log.js'
import type { BinlogDecoder, BinlogEvent } from './binlog-events.js'
import { BinlogStream } from './binlog-stream.js'
import { CommitViews } from './commit-views.js'
import { FollowedSchema } from './followed-schema.js'
import { placeIn, positionOf } from './log-position.js'
import { LoggedChanges } from './logged-changes.js'
import type { NamedLock } from './named-lock.js'
import { OpenMysqlLog } from './open-mysql-log.js'

const lots = { schema: 'public', name: 'lots' }

async function openLog() {
  const tables = [{ schema: 'shop', name: 'lots', kind: 'BASE TABLE' }]
  const { client } = mysqlClient([['information_schema.TABLES', () => tables]])
  const lock = { run: (work: (one: typeof client) => unknown) => work(client) } as unknown as NamedLock
  const schema = new FollowedSchema(lock, 'shop', true)
  await schema.follow([lots])
  const said: string[] = []
  const listener: LogListener = {
    onChange: ({ kind }) => void said.push(kind),
    onCommit: () => void said.push('commit'),
    onAlive: () => void said.push('alive'),
  }
  const changes = new LoggedChanges({
    listener,
    schema,
    columnsOf: () => new Set(),
    views: new CommitViews(),
    isDurable: true,
    onDefinition() {},
  })
  const wire = Object.assign(new EventEmitter(), {
    stream: { destroy: () => void said.push('cut') },
    pause: () => void said.push('pause'),
    resume: () => void said.push('resume'),
  })
  const stream = new BinlogStream(
    { connection: wire, destroy: () => void said.push('destroy') } as never,
    {} as BinlogDecoder,
    () => {},
  )
  const opened = { isNew: false, durable: 'mysql:shop', resumesAt: 10n, end: 20n, problems: [] }
  const log = new OpenMysqlLog({ changes, schema, stream }, opened, 'the first place')
  const take = (...events: BinlogEvent[]): string[] => {
    for (const event of events) changes.take(event)
    return said.splice(0)
  }
  return { log, opened, said: () => said.splice(0), take, tables, wire }
}

const rotate = { kind: 'rotate', file: 'binlog.000001', offset: 4 } as const
const begin = {
  kind: 'begin',
  start: 4,
  bytes: Buffer.from([1]),
  atMs: 0,
  gtid: '0-1-1',
  isSingle: false,
} as const
const unreadable = { kind: 'unreadable', offset: 60 } as const
const commit = { kind: 'commit', offset: 90 } as const

describe('a binlog that is being read', () => {
  it('says where it was opened, and which tables it has', async () => {
    const { log, opened } = await openLog()
    expect(log).toMatchObject(opened)
    expect(log.versions).toEqual(new Map([[tableKey(lots), 'BASE TABLE']]))
  })

  it('is to be read again after what was noted, until a transaction follows it', async () => {
    const { log, take } = await openLog()
    take(rotate)
    const end = positionOf({ file: rotate.file, offset: 90 })
    expect(log.placeOf(end)).toBe('the first place')
    take(begin, commit)
    expect(placeIn(log.placeOf(end))).toEqual({ file: rotate.file, offset: 4, bytes: begin.bytes })
  })

  it('has the changes of the tables that it is to follow', async () => {
    const { log, take, tables } = await openLog()
    take(rotate)
    expect(take(begin, unreadable, commit)).toEqual([])
    expect(await log.hasChanged()).toBe(false)
    tables.push({ schema: 'shop', name: 'bids', kind: 'BASE TABLE' })
    const bids = { ...lots, name: 'bids' }
    const views = { ...lots, name: 'views' }
    expect(await log.follow([lots, bids, views])).toEqual([
      expect.objectContaining({ table: tableKey(views), isFollowed: false }),
    ])
    expect([...log.versions.keys()]).toEqual([lots, bids].map(tableKey))
    expect(take(begin, unreadable, commit)).toEqual(['truncate', 'truncate', 'truncate', 'commit'])
  })

  it('gives a sign of life when it is asked for one', async () => {
    const { log, take } = await openLog()
    take(rotate)
    log.ask()
    expect(take(unreadable)).toContain('alive')
  })

  it('waits, goes on, and is closed', async () => {
    const { log, said, wire } = await openLog()
    log.pause()
    log.resume()
    await log.close()
    expect(said()).toEqual(['pause', 'resume', 'destroy', 'cut'])
    wire.emit('end')
    expect((await log.ended).message).toContain('the replication stream was closed')
  })
})
