import type { LogListener } from '../database-log.js'
import type { BinlogEvent } from './binlog-events.js'
import { CommitViews } from './commit-views.js'
import { ForeignKeys } from './foreign-keys.js'
import { LoggedChanges } from './logged-changes.js'

function followLots({ isDurable = true } = {}) {
  const said: string[] = []
  const listener: LogListener = {
    onChange: ({ kind }) => said.push(kind),
    onCommit: (position) => said.push(`commit ${position % (1n << 40n)}`),
    onAlive: (position) => said.push(`alive ${position % (1n << 40n)}`),
  }
  const changes = new LoggedChanges({
    listener,
    isDurable,
    columnsOf: () => new Set(),
    schema: { foreignKeys: new ForeignKeys(), inDatabase: (table) => table },
    views: new CommitViews(),
    onDefinition: () => {},
  })
  changes.follow([{ schema: 'shop', name: 'lots' }])
  const take = (...events: BinlogEvent[]): string[] => {
    for (const event of events) changes.take(event)
    return said.splice(0)
  }
  return { changes, take }
}

const rotate: BinlogEvent = { kind: 'rotate', file: 'binlog.000001', offset: 4 }
const begin: BinlogEvent = {
  kind: 'begin',
  start: 4,
  bytes: Buffer.alloc(0),
  atMs: 0,
  gtid: '0-1-1',
  isSingle: false,
}
const statement = {
  kind: 'statement',
  text: 'INSERT INTO lots VALUES (1)',
  schema: 'shop',
  offset: 50,
} as const
const commit: BinlogEvent = { kind: 'commit', offset: 90 }

describe('the changes in a binlog', () => {
  it('are a sign of life, also when the server never has nothing to send', () => {
    const { changes, take } = followLots()
    take(rotate)
    changes.ask()
    expect(take(begin, statement, commit)).toEqual(['alive 4', 'truncate', 'commit 90'])
    changes.ask()
    expect(take(begin)).toHaveLength(1)
  })

  it('may be lost when a server that does not sync its log is started again', () => {
    const restart: BinlogEvent = { kind: 'restart', offset: 0 }
    expect(followLots({ isDurable: false }).take(rotate, restart)).toEqual(['truncate', expect.any(String)])
    expect(followLots().take(rotate, restart)).toEqual([])
  })
})
