import { jest } from '@jest/globals'
import { manualClock } from '../../../../test/support/manual-clock.ts'
import { StoreError } from '../errors.js'
import type { Messages } from './backend/store.js'
import { Backplane } from './backplane.js'

const channel = 'mc:{Lot}:written'

afterEach(() => jest.restoreAllMocks())

/** Carries messages between the backplanes of a test, and can hold them back, lose them or fail. */
class Wire implements Messages {
  readonly published: { channel: string; message: string }[] = []
  readonly subscribed: string[] = []
  readonly unsubscribed: string[] = []
  error: Error | undefined
  isHeld = false
  readonly #listeners = new Map<string, { receive: (message: string) => void; lose: () => void }>()

  async publish(name: string, message: string): Promise<void> {
    if (this.error) throw this.error
    this.published.push({ channel: name, message })
    if (!this.isHeld) this.deliver(name, message)
  }
  async subscribe(name: string, receive: (message: string) => void, lose: () => void): Promise<void> {
    if (this.error) throw this.error
    this.subscribed.push(name)
    this.#listeners.set(name, { receive, lose })
  }
  async unsubscribe(name: string): Promise<void> {
    this.unsubscribed.push(name)
    if (this.error) throw this.error
    this.#listeners.delete(name)
  }
  deliver(name: string, message: string): void {
    this.#listeners.get(name)?.receive(message)
  }
  get listens(): boolean {
    return this.#listeners.size > 0
  }
  lose(): void {
    for (const { lose } of this.#listeners.values()) lose()
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate)
}

/** A backplane whose heartbeats the test sends, by its own clock. */
async function open({ isStarted = true, wire = new Wire() } = {}) {
  const clock = manualClock()
  const timer = { unref: () => timer }
  const started: (() => void)[] = []
  jest.spyOn(globalThis, 'setInterval').mockImplementation(((beat: () => void) => {
    started.push(beat)
    return timer
  }) as never)
  const cleared: unknown[] = []
  jest.spyOn(globalThis, 'clearInterval').mockImplementation((id) => void cleared.push(id))
  const received: unknown[] = []
  const logged: string[] = []
  const backplane = new Backplane({
    name: 'Lot',
    messages: wire,
    channel,
    listener: {
      onRows: (rows, source) => received.push([source, ...rows]),
      onAll: () => received.push('all'),
      onNotFound: () => received.push('not found'),
    },
    log: { warn: () => logged.push('warn'), info: () => logged.push('info') },
  })
  const beat = async () => {
    started.at(-1)!()
    await turns()
  }
  if (isStarted) backplane.start()
  await turns()
  return { backplane, beat, cleared, clock, logged, received, started, timer, wire }
}

describe('the connection of a backplane', () => {
  it('is not listened to after its end, also if that comes while it begins to', async () => {
    const wire = new Wire()
    const { backplane } = await open({ isStarted: false, wire })
    backplane.start()
    await backplane.stop()
    await turns()
    expect([wire.listens, backplane.isUp]).toEqual([false, false])
  })

  it('is up from a heartbeat until two seconds after it', async () => {
    const { backplane, beat, clock } = await open()
    expect(backplane.isUp).toBe(true)
    clock.pass(1_999)
    expect(backplane.isUp).toBe(true)
    clock.pass(1)
    expect(backplane.isUp).toBe(false)
    await beat()
    expect(backplane.isUp).toBe(true)
  })

  it('is started once, and stopped once', async () => {
    const { backplane, cleared, started, timer, wire } = await open({ isStarted: false })
    expect([backplane.isListening, backplane.isUp]).toEqual([false, false])
    await backplane.stop()
    expect(wire.unsubscribed).toEqual([])
    backplane.start()
    backplane.start()
    await turns()
    expect([started.length, backplane.isListening, backplane.isUp]).toEqual([1, true, true])
    await backplane.stop()
    await backplane.stop()
    expect([cleared, backplane.isListening, backplane.isUp]).toEqual([[timer], false, false])
    expect(wire.unsubscribed).toEqual(wire.subscribed)
    expect(wire.subscribed[0]).toBe(channel)
  })

  it('subscribes again when the heartbeat is missing, and counts all rows as written then', async () => {
    const { beat, clock, received, wire } = await open()
    // Rows that were read before the start may have been written as well.
    expect(received).toEqual(['all'])
    clock.pass(1_000)
    await beat()
    expect([wire.subscribed.length, received.length]).toEqual([2, 1])
    clock.pass(2_000)
    await beat()
    expect([wire.subscribed.length, received]).toEqual([4, ['all', 'all']])
  })

  it('does not count a heartbeat that is not the last one, or that another process has sent', async () => {
    const { backplane, beat, clock, wire } = await open()
    const own = wire.published[0]!.channel
    wire.isHeld = true
    clock.pass(2_000)
    await beat()
    const [first, last] = wire.published.map(({ message }) => message)
    for (const message of [first!, 'another', '']) wire.deliver(own, message)
    expect(backplane.isUp).toBe(false)
    wire.deliver(own, last!)
    expect(backplane.isUp).toBe(true)
  })

  it('is down as soon as messages were lost, and stays so for heartbeats that were sent before', async () => {
    const { backplane, beat, logged, wire } = await open()
    const { channel: own, message } = wire.published[0]!
    wire.lose()
    expect([backplane.isUp, logged]).toEqual([false, ['warn']])
    wire.deliver(own, message)
    wire.deliver(own, '')
    expect(backplane.isUp).toBe(false)
    await beat()
    expect([backplane.isUp, logged]).toEqual([true, ['warn', 'info']])
  })

  it('is reported when it is lost and when it is back, once each, and not before it has been up', async () => {
    const wire = new Wire()
    wire.isHeld = true
    const { beat, clock, logged } = await open({ wire })
    await beat()
    wire.isHeld = false
    await beat()
    expect(logged).toEqual([])
    wire.isHeld = true
    clock.pass(2_000)
    await beat()
    await beat()
    expect(logged).toEqual(['warn'])
    wire.isHeld = false
    await beat()
    await beat()
    expect(logged).toEqual(['warn', 'info'])
  })

  it('is not reported as lost by a backplane that has stopped', async () => {
    const { backplane, logged, wire } = await open()
    await backplane.stop()
    wire.lose()
    expect(logged).toEqual([])
  })
})

describe('an announcement', () => {
  it('reaches other processes with its rows and their source, and not its own', async () => {
    const one = await open()
    const { received } = await open({ wire: one.wire })
    received.length = 0
    one.received.length = 0
    const rows = ['a', 7, 9007199254740993n]
    for (const source of ['client', 'log'] as const) {
      const { channel: name, message } = one.backplane.announcementOf(rows, source)
      expect(name).toBe(channel)
      one.wire.deliver(name, message)
    }
    for (const scope of ['existence', 'all'] as const) {
      const { channel: name, message } = one.backplane.announcementOfAll(scope)
      one.wire.deliver(name, message)
    }
    expect(received).toEqual([['client', ...rows], ['log', ...rows], 'not found', 'all'])
    expect(one.received).toEqual([])
  })

  it('does not reach the process that has sent it', async () => {
    const { backplane, received, wire } = await open()
    received.length = 0
    const { message } = backplane.announcementOf(['a'], 'client')
    wire.deliver(channel, message)
    expect(received).toEqual([])
  })

  it('that the store forbids is warned of once, and rejects for no other reason', async () => {
    const { backplane, logged, wire } = await open()
    wire.error = new StoreError('valkey', 'NOPERM', 'E_STORE_FORBIDDEN')
    await backplane.publishAll()
    expect(logged).toEqual(['warn'])
    await backplane.publishAll()
    backplane.warnOfForbidden()
    expect(logged).toEqual(['warn'])
    wire.error = new StoreError('valkey', 'is gone')
    await expect(backplane.publishAll()).rejects.toBe(wire.error)
  })

  it.each([
    ['of rows', 'other;2;["a"]'],
    ['of created rows', 'other;2;-'],
  ])('%s counts for all rows if one before it was lost, also the first of a process', async (_, text) => {
    const { received, wire } = await open()
    received.length = 0
    wire.deliver(channel, text)
    expect(received).toEqual(['all'])
  })

  it('is not taken for a lost one because an older one comes again', async () => {
    const { received, wire } = await open()
    received.length = 0
    for (const number of [1, 2, 1, 3]) wire.deliver(channel, `other;${number};["a"]`)
    expect(received.map(String)).toEqual(Array(4).fill('client,a'))
    wire.deliver(channel, 'other;5;["a"]')
    expect(received.at(-1)).toBe('all')
  })

  it.each([
    ['an object like a list', '[{"0":"7"}]'],
    ['a list of a number', '[[7]]'],
  ])('with %s counts for all rows', async (_, text) => {
    const { received, wire } = await open()
    received.length = 0
    wire.deliver(channel, `other;1;${text}`)
    expect(received).toEqual(['all'])
  })

  it('has its number remembered for 10,000 processes', async () => {
    const { received, wire } = await open()
    for (let i = 0; i < 10_000; i++) wire.deliver(channel, `process ${i};1;["a"]`)
    wire.deliver(channel, 'process 0;2;["b"]')
    expect(received.at(-1)).toEqual(['client', 'b'])
    wire.deliver(channel, 'another;1;["a"]')
    wire.deliver(channel, 'process 0;3;["b"]')
    expect(received.at(-1)).toBe('all')
  })
})
