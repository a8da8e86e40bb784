import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import { turns } from '../../../../test/support/eventually.js'
import type { BinlogDecoder, BinlogEvent } from './binlog-events.js'
import { BinlogStream, isPurged } from './binlog-stream.js'

interface Command {
  execute(packet: unknown, wire: unknown): boolean
}
/** A packet of the server: behind its header a byte that says that no error follows, and the bytes of an event. */
const packetOf = (bytes: readonly number[], kind?: 'eof' | Error) => ({
  buffer: Buffer.from([9, 9, 9, 9, 0, ...bytes, 9]),
  offset: 4,
  end: 5 + bytes.length,
  isEOF: () => kind === 'eof',
  isError: () => kind instanceof Error,
  asError: () => kind,
})

/** The connection of a stream. What the decoder is given is what the stream takes. */
function newStream(take?: (bytes: Buffer) => void) {
  const said: string[] = []
  const commands: Command[] = []
  const sent: Buffer[] = []
  const wire = Object.assign(new EventEmitter(), {
    sequenceId: 5,
    stream: { destroy: () => void said.push('cut') },
    addCommand: (command: Command) => void commands.push(command),
    writePacket: ({ buffer }: { readonly buffer: Buffer }) => void sent.push(buffer),
    pause: () => void said.push('pause'),
    resume: () => void said.push('resume'),
  })
  const client = {
    connection: wire,
    query: async () => {},
    destroy: () => void said.push('destroy'),
  }
  const taken: string[] = []
  const decoder = { decode: (bytes: Buffer) => bytes as unknown as BinlogEvent }
  const stream = new BinlogStream(client as never, decoder as BinlogDecoder, (event) => {
    const bytes = event as unknown as Buffer
    taken.push(bytes.toString('hex'))
    take?.(bytes)
  })
  const start = async () => {
    const started = stream.start({ file: 'binlog.000012', offset: 400 })
    started.catch(() => {})
    await turns(2)
    const [command] = commands
    // A command begins without a packet.
    command!.execute(undefined, wire)
    return { receive: (packet?: unknown) => command!.execute(packet, wire), started }
  }
  return { said, sent, start, stream, taken, wire }
}

afterEach(() => jest.useRealTimers())

describe('a stream of the binlog', () => {
  it('has started with the first event, and gives each event', async () => {
    const { sent, start, stream, taken, wire } = newStream()
    const { receive, started } = await start()
    // As a replica with a number of its own.
    expect([wire.sequenceId, sent[0]!.readUInt32LE(11) >= 2 ** 31]).toEqual([0, true])
    let isStarted = false
    void started.then(() => (isStarted = true))
    await turns(2)
    expect(isStarted).toBe(false)
    expect([receive(packetOf([1, 2])), receive(packetOf([3])), receive()]).toEqual([false, false, false])
    await started
    expect(taken).toEqual(['0102', '03'])
    stream.close()
    expect([receive(packetOf([4])), taken.length]).toEqual([true, 2])
  })

  it('is given up if the server sends nothing', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const { started } = await newStream().start()
    let reason = 'it waits'
    started.catch(({ message }: Error) => (reason = message))
    jest.advanceTimersByTime(5_000)
    await turns(3)
    expect(reason).toBe('no answer within 5000 ms')
  })

  it.each<[string, ReturnType<typeof packetOf>, string]>([
    ['ends it', packetOf([], 'eof'), 'cannot read the binlog: the server has ended it.'],
    [
      'refuses it',
      packetOf([], Object.assign(new Error('no log'), { errno: 1_236 })),
      'cannot read the binlog: no log.',
    ],
    [
      'does not permit it',
      packetOf([], Object.assign(new Error('denied'), { errno: 1_227 })),
      'cannot read the binlog: denied. Run as an administrator: GRANT REPLICATION SLAVE ON *.* TO …; see docs/follow.md.',
    ],
  ])('does not start if the server %s', async (_, packet, message) => {
    const { said, start, stream } = newStream()
    const { receive, started } = await start()
    expect(receive(packet)).toBe(true)
    await expect(started).rejects.toMatchObject({ code: 'E_FOLLOW', message: `model-cache: ${message}` })
    const { cause } = await stream.ended
    expect([isPurged(cause), said]).toEqual([message.includes('no log'), ['destroy', 'cut']])
  })

  it('ends with an event that cannot be taken', async () => {
    const { said, start, stream } = newStream(() => {
      throw new Error('too short')
    })
    const { receive } = await start()
    expect(receive(packetOf([1]))).toBe(true)
    expect([(await stream.ended).message, said]).toEqual([
      'model-cache: cannot read the binlog: too short.',
      ['destroy', 'cut'],
    ])
  })

  it.each([
    ['cannot read either', 1_236, true],
    ['does not send', 1_045, false],
  ])('ends at an event that the server %s', async (_, errno, isUnreadable) => {
    const { start, stream } = newStream()
    const { receive } = await start()
    receive(packetOf([1]))
    receive(packetOf([], Object.assign(new Error('binlog truncated in the middle of event'), { errno })))
    await stream.ended
    expect(stream.isUnreadable).toBe(isUnreadable)
  })

  it.each([
    ['fails', 'error', 'lost the replication stream: reset.'],
    ['is closed', 'end', 'the replication stream was closed.'],
  ])('ends when its connection %s', async (_, event, message) => {
    const { start, stream, taken, wire } = newStream()
    const { receive, started } = await start()
    wire.emit(event, new Error('reset'))
    expect((await stream.ended).message).toBe(`model-cache: ${message}`)
    await expect(started).rejects.toThrow(message)
    expect([receive(packetOf([1])), taken]).toEqual([true, []])
  })

  it('goes on once nobody holds it up', () => {
    const { said, stream } = newStream()
    stream.pause('changes')
    stream.pause('definition')
    stream.resume('changes')
    stream.resume('changes')
    expect(said).toEqual(['pause', 'pause'])
    stream.resume('definition')
    expect(said).toEqual(['pause', 'pause', 'resume'])
    stream.resume('definition')
    expect(said.length).toBe(3)
  })
})
