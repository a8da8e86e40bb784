import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import type pg from 'pg'
import { turns } from '../../../../test/support/eventually.js'
import { postgresEpochMs } from './pgoutput.js'
import { ReplicationStream } from './replication-stream.js'

afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

const uint = (value: number, size: 2 | 4 | 8): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes.subarray(8 - size)
}
const data = (position: number, ...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(
    ['w', uint(position, 8), Buffer.alloc(16), ...parts].map((part) => Buffer.from(part as string)),
  )
const keepalive = (position: number, atMs: number, wantsAnswer = false): Buffer =>
  Buffer.concat([
    Buffer.from('k'),
    uint(position, 8),
    uint((atMs - postgresEpochMs) * 1_000, 8),
    Buffer.from([wantsAnswer ? 1 : 0]),
  ])
const describe7 = Buffer.concat([
  Buffer.from('R'),
  uint(7, 4),
  Buffer.from('public\0posts\0d'),
  uint(1, 2),
  Buffer.from('\x01id\0'),
  Buffer.alloc(8),
])
const insert = Buffer.concat([
  Buffer.from('I'),
  uint(7, 4),
  Buffer.from('N'),
  uint(1, 2),
  Buffer.from('t'),
  uint(1, 4),
  Buffer.from('5'),
])
const begin = (id: number): Buffer => Buffer.concat([Buffer.from('B'), Buffer.alloc(16), uint(id, 4)])
const commit = (end: number): Buffer =>
  Buffer.concat([Buffer.from('C'), Buffer.alloc(9), uint(end, 8), Buffer.alloc(8)])

const now = Date.parse('2026-01-01')

/** A stream over a connection that the test is the other end of. */
async function startStream() {
  jest.spyOn(Date, 'now').mockReturnValue(now)
  const said: string[] = []
  const reports: unknown[] = []
  const query = Promise.withResolvers<void>()
  const connection = Object.assign(new EventEmitter(), {
    stream: { pause: () => said.push('pause'), resume: () => said.push('resume'), destroy() {} },
    sendCopyFromChunk: (chunk: Buffer) => {
      const [received, written, applied, at] = [1, 9, 17, 25].map((from) =>
        Number(chunk.readBigUInt64BE(from)),
      )
      expect([String.fromCharCode(chunk[0]!), applied, at]).toEqual([
        'r',
        written,
        (now - postgresEpochMs) * 1_000,
      ])
      reports.push([received, written, chunk[33] === 1])
    },
  })
  const client = Object.assign(new EventEmitter(), {
    connection,
    query: () => query.promise,
    end: async () => void said.push('end'),
  })
  let wanted = new Set(['id'])
  const stream = new ReplicationStream(client as unknown as pg.Client, {
    columnsOf: () => wanted,
    listener: {
      onChange: (change, { id }) =>
        said.push(`${change.kind} ${change.kind === 'insert' ? [...change.row.keys()].join() : ''} of ${id}`),
      onCommit: (position, { id }) => said.push(`commit ${position} of ${id}`),
      onAlive: (position, atMs) => said.push(`alive ${position} at ${atMs - now}`),
    },
  })
  const starting = stream.start('slot', 'publication')
  const send = (...chunks: Buffer[]): string[] => {
    for (const chunk of chunks) connection.emit('copyData', { chunk })
    return said.splice(0)
  }
  const want = (...columns: string[]): void => {
    wanted = new Set(columns)
    stream.refresh()
  }
  const start = async (): Promise<void> => {
    connection.emit('replicationStart')
    await starting
  }
  return { client, query, reports: () => reports.splice(0), said, send, start, starting, stream, want }
}

async function startedStream() {
  const started = await startStream()
  await started.start()
  return started
}

describe('a replication stream', () => {
  it('is given up if PostgreSQL does not begin to send', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const { starting } = await startStream()
    let reason = 'it waits'
    starting.catch(({ message }: Error) => (reason = message))
    jest.advanceTimersByTime(5_000)
    await turns(3)
    expect(reason).toBe('no answer within 5000 ms')
  })

  it('reads other columns when they are wanted', async () => {
    const { send, want } = await startedStream()
    send(data(10, describe7))
    want()
    expect(send(data(12, insert))).toEqual(['insert  of 0'])
  })

  it('reports what was received and confirmed last, and goes back in neither', async () => {
    const { reports, send, stream } = await startedStream()
    stream.ask()
    expect(reports()).toEqual([[0, 0, true]])
    send(data(20, commit(30)))
    stream.confirm(15n)
    stream.confirm(10n)
    send(data(12, begin(1)), data(25, commit(28)), keepalive(29, now))
    stream.confirm(20n)
    send(data(31, begin(1)))
    stream.confirm(21n)
    send(keepalive(40, now))
    stream.confirm(22n)
    expect(reports()).toEqual([
      [30, 15, false],
      [30, 15, false],
      [30, 20, false],
      [31, 21, false],
      [40, 22, false],
    ])
  })

  it('answers when it is asked, and only then', async () => {
    const { reports, send } = await startedStream()
    send(keepalive(40, now), Buffer.from('another message, which says 1: \x01'))
    expect(reports()).toEqual([])
    send(keepalive(40, now, true))
    expect(reports()).toEqual([[40, 0, false]])
  })

  it('tells the time by the answers to its questions alone', async () => {
    const { send, stream } = await startedStream()
    expect(send(keepalive(40, now + 5_000))).toEqual(['alive 40 at 0'])
    stream.ask()
    jest.spyOn(Date, 'now').mockReturnValueOnce(now + 9_000)
    expect(send(keepalive(40, now + 5_000), keepalive(40, now + 3_000)).at(-1)).toBe('alive 40 at 5000')
  })

  it('pauses and goes on with its connection', async () => {
    const { said, stream } = await startedStream()
    stream.pause()
    stream.resume()
    expect(said).toEqual(['pause', 'resume'])
  })

  it.each<[string, (started: Awaited<ReturnType<typeof startStream>>) => unknown, string]>([
    [
      'its connection breaks',
      ({ client }) => client.emit('error', new Error('broken')),
      'lost the replication stream: broken',
    ],
    ['its connection is closed', ({ client }) => client.emit('end'), 'the replication stream was closed'],
    ['PostgreSQL ends it', ({ query }) => query.resolve(), 'PostgreSQL ended the replication stream'],
    [
      'PostgreSQL breaks it off',
      ({ query }) => query.reject(new Error('the slot is gone')),
      'the slot is gone',
    ],
    ['it cannot read a message', ({ send }) => send(data(10, '?')), 'unknown kind'],
  ])('ends with the reason when %s, and says nothing afterwards', async (_, end, reason) => {
    const started = await startedStream()
    end(started)
    expect((await started.stream.ended).message).toContain(reason)
    started.reports()
    started.said.length = 0
    started.stream.confirm(10n)
    expect([started.send(keepalive(40, now, true)), started.reports()]).toEqual([[], []])
  })

  it('does not start when PostgreSQL refuses it', async () => {
    const { query, starting } = await startStream()
    query.reject(new Error('no such slot'))
    await expect(starting).rejects.toThrow('PostgreSQL refuses the replication stream: no such slot')
  })

  it('closes its connection, and takes nothing afterwards', async () => {
    const { reports, said, send, stream } = await startedStream()
    await stream.close()
    expect(said.splice(0)).toEqual(['end'])
    expect([send(keepalive(40, now, true)), reports()]).toEqual([[], []])
  })
})
