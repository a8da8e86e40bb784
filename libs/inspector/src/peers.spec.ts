import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'
import { jest } from '@jest/globals'
import type { Messages } from 'model-cache/internal'
import { eventually } from '../../../test/support/eventually.js'
import { ownPeer, Peers } from './peers.js'

/** What the processes of a store publish, in order, and who listens. */
class Wire {
  readonly published: string[] = []
  isBroken = false
  readonly #listeners = new Map<string, Map<object, (message: string) => void>>()

  /** The connection of a process. */
  open() {
    const connection = { lose: () => {} }
    const messages: Messages = {
      publish: async (channel, message) => {
        if (this.isBroken) throw new Error('no connection')
        this.send(channel, message)
      },
      subscribe: async (channel, listener, onLost) => {
        if (this.isBroken) throw new Error('no connection')
        connection.lose = onLost
        const listeners = this.#listeners.get(channel) ?? new Map()
        this.#listeners.set(channel, listeners.set(connection, listener))
      },
      unsubscribe: async (channel) => {
        if (this.isBroken) throw new Error('no connection')
        this.#listeners.get(channel)?.delete(connection)
      },
    }
    return { connection, messages }
  }

  send(channel: string, message: string): void {
    this.published.push(message)
    for (const listener of this.#listeners.get(channel)?.values() ?? []) listener(message)
  }

  get subscriptions(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0)
  }
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
}

/** Those of Node, for what else runs in this process. */
const timers = { setInterval, setTimeout, clearTimeout }

/** What is called every five seconds, in order of the processes. */
let retries: (() => void)[]
/** What is called when a question has waited for a second, by timer. */
let deadlines: Map<unknown, () => void>
let nowMs: number
let wire: Wire
beforeEach(() => {
  retries = []
  nowMs = Date.UTC(2026, 0, 1)
  wire = new Wire()
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs)
  jest.spyOn(globalThis, 'setInterval').mockImplementation(((retry: () => void, ms: number) => {
    if (ms !== 5_000) return timers.setInterval(retry, ms)
    const timer = { unref: () => timer }
    retries.push(retry)
    return timer
  }) as unknown as typeof setInterval)
  deadlines = new Map()
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms: number) => {
    if (ms !== 1_000) return timers.setTimeout(end, ms)
    const timer = {}
    deadlines.set(timer, end)
    return timer
  }) as unknown as typeof setTimeout)
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    if (!deadlines.delete(timer)) timers.clearTimeout(timer)
  })
})
afterEach(() => jest.restoreAllMocks())

/** A process that answers with what it is asked by default. */
async function openProcess(answer: (question: unknown) => Promise<unknown> = async (question) => question) {
  const { connection, messages } = wire.open()
  const peers = new Peers(ownPeer(), 'mc', messages, answer)
  peers.start()
  await settled()
  return { peers, connection }
}

async function openTwo(answer?: (question: unknown) => Promise<unknown>) {
  const one = await openProcess()
  const two = await openProcess(answer)
  wire.published.length = 0
  return { one: one.peers, two: two.peers, connection: one.connection }
}

/** Asks, and passes the second in which others may answer. */
async function askForASecond(peers: Peers, question: unknown = 'how') {
  const asking = peers.ask(question)
  await settled()
  expect(deadlines.size).toBe(1)
  for (const end of deadlines.values()) end()
  expect(deadlines.size).toBe(0)
  return asking
}

const channel = 'mc:{inspect}'
const stranger = { id: 'stranger', host: 'web-2', pid: 8 }
const silent = { ...stranger, lastAt: '2026-01-01T00:00:00.000Z' }
/** A process that is there, and never answers. */
const introduce = (from: object): void => wire.send(channel, JSON.stringify({ kind: 'here', from }))

describe('a question', () => {
  it('is answered by all processes, this one first, as soon as all have', async () => {
    const { one, two } = await openTwo()
    expect(await one.ask('how')).toEqual({
      answers: [
        { peer: one.self, answer: 'how' },
        { peer: two.self, answer: 'how' },
      ],
      silent: [],
    })
    expect(deadlines.size).toBe(0)
  })

  it('is answered by this process where there are no messages', async () => {
    const peers = new Peers(ownPeer(), 'mc', undefined, async () => 'alone')
    peers.start()
    expect(await peers.ask('how')).toEqual({ answers: [{ peer: peers.self, answer: 'alone' }], silent: [] })
    await peers.stop()
    expect([retries, wire.published]).toEqual([[], []])
  })

  it('is not waited for when nobody else is known, or the store does not take it', async () => {
    const { one } = await openTwo()
    wire.isBroken = true
    expect((await one.ask('how')).answers).toHaveLength(1)
    wire = new Wire()
    const { peers } = await openProcess()
    expect((await peers.ask('how')).answers).toHaveLength(1)
    expect(deadlines.size).toBe(0)
  })

  it('fails with the error of this process alone', async () => {
    const failing = async () => {
      throw new Error('no answer')
    }
    const { one, two } = await openTwo(failing)
    await expect(two.ask('how')).rejects.toThrow('no answer')
    expect(await askForASecond(one)).toMatchObject({ answers: [{ peer: one.self }], silent: [two.self] })
  })

  it('is answered once by each process, and by nobody later', async () => {
    const { one } = await openTwo(() => new Promise(() => {}))
    const asking = askForASecond(one)
    const { asked } = JSON.parse(wire.published[0]!)
    const reply = (answer: unknown, from: object = stranger): void =>
      wire.send(`${channel}:${one.self.id}`, JSON.stringify({ kind: 'answer', from, asked, answer }))
    reply('first')
    reply('second')
    reply('of another question', { ...stranger, id: 'other' })
    const { answers } = await asking
    expect(answers.slice(1).map(({ answer }) => answer)).toEqual(['first', 'of another question'])
    reply('late', { ...stranger, id: 'late' })
    expect(answers).toHaveLength(3)
  })

  it('is answered as soon as the last process has, which may take a while', async () => {
    const gate = Promise.withResolvers<void>()
    const { one } = await openTwo(async () => {
      await gate.promise
      return 'late'
    })
    const asking = one.ask('how')
    await settled()
    expect(deadlines.size).toBe(1)
    gate.resolve()
    await settled()
    expect(deadlines.size).toBe(0)
    expect((await asking).answers.map(({ answer }) => answer)).toEqual(['how', 'late'])
  })

  it('is forgotten after its second', async () => {
    const { peers } = await openProcess()
    introduce(stranger)
    wire.published.length = 0
    await askForASecond(peers)
    const { asked } = JSON.parse(wire.published[0]!)
    expect(clearTimeout).toHaveBeenCalledTimes(1)
    wire.send(
      `${channel}:${peers.self.id}`,
      JSON.stringify({ kind: 'answer', from: stranger, asked, answer: 'late' }),
    )
    // Its end would clear its timer again.
    expect(clearTimeout).toHaveBeenCalledTimes(1)
  })

  it('takes 200 answers of others at most', async () => {
    const { peers } = await openProcess()
    introduce(stranger)
    wire.published.length = 0
    const asking = askForASecond(peers)
    const { asked } = JSON.parse(wire.published[0]!)
    for (let i = 0; i < 201; i++)
      wire.send(
        `${channel}:${peers.self.id}`,
        JSON.stringify({ kind: 'answer', from: { ...stranger, id: `${i}` }, asked, answer: i }),
      )
    expect((await asking).answers).toHaveLength(201)
  })

  it('may have a long answer, which is sent compressed', async () => {
    const { one, two } = await openTwo(async (question) => 'x'.repeat(Number(question)))
    for (const length of [90_000, 3_000_000])
      expect((await one.ask(length)).answers[1]).toEqual({ peer: two.self, answer: 'x'.repeat(length) })
    expect(Math.max(...wire.published.map(({ length }) => length))).toBeLessThan(100_000)
  })

  it('has no answer that is too long although it is compressed, and is none itself', async () => {
    const noise = randomBytes(800_000).toString('base64')
    const { one, two } = await openTwo(async () => noise)
    const asking = one.ask('how')
    // As the answer is, and after it.
    await promisify(deflateRaw)(noise)
    await settled()
    expect(wire.published).toHaveLength(1)
    for (const end of deadlines.values()) end()
    expect(await asking).toMatchObject({ answers: [{ peer: one.self }], silent: [two.self] })
    expect((await one.ask(noise)).answers).toHaveLength(1)
    expect(wire.published).toHaveLength(1)
  })
})

describe('a process that does not answer', () => {
  it('is listed with the time of its last message, for a minute', async () => {
    const { peers } = await openProcess()
    introduce(stranger)
    expect((await askForASecond(peers)).silent).toEqual([silent])
    nowMs += 60_000
    expect((await askForASecond(peers)).silent).toEqual([silent])
    nowMs++
    expect((await askForASecond(peers)).silent).toEqual([silent])
    expect((await peers.ask('how')).silent).toEqual([])
  })

  it('is listed for another minute after a message of it', async () => {
    const { peers } = await openProcess()
    introduce(stranger)
    await askForASecond(peers)
    nowMs += 60_000
    introduce(stranger)
    nowMs++
    await askForASecond(peers)
    expect((await askForASecond(peers)).silent).toEqual([{ ...silent, lastAt: '2026-01-01T00:01:00.000Z' }])
  })

  it('is not listed after it has ended', async () => {
    const { one, two } = await openTwo()
    await two.stop()
    expect(wire.published.map((text) => JSON.parse(text).kind)).toEqual(['gone'])
    expect(await one.ask('how')).toMatchObject({ answers: [{ peer: one.self }], silent: [] })
  })

  it('is not listed after it has ended while it began, and hears nothing', async () => {
    const { peers: one } = await openProcess()
    const { subscriptions } = wire
    const { messages } = wire.open()
    const { promise, resolve } = Promise.withResolvers<void>()
    const late: Messages = {
      ...messages,
      async subscribe(...args) {
        await promise
        await messages.subscribe(...args)
      },
    }
    const two = new Peers(ownPeer(), 'mc', late, async () => 'how')
    two.start()
    const stopping = two.stop()
    resolve()
    await stopping
    await settled()
    expect(await one.ask('how')).toMatchObject({ answers: [{ peer: one.self }], silent: [] })
    expect(wire.subscriptions).toBe(subscriptions)
  })
})

it('knows 200 other processes at most', async () => {
  const { peers } = await openProcess()
  for (let i = 0; i < 201; i++) introduce({ ...stranger, id: `${i}` })
  nowMs += 5
  // What is known stays known.
  introduce({ ...stranger, id: '0' })
  const { silent: listed } = await askForASecond(peers)
  expect(listed).toHaveLength(200)
  expect(listed.find(({ id }) => id === '0')!.lastAt).toBe('2026-01-01T00:00:00.005Z')
})

it.each([
  ['no JSON', '{'],
  ['null', 'null'],
  ['no sender', '{"kind":"here"}'],
  ['a sender without an id', '{"kind":"here","from":{"host":"web-2","pid":8}}'],
  ['a sender without a host', '{"kind":"here","from":{"id":"stranger","pid":8}}'],
  ['a sender whose pid is no number', '{"kind":"here","from":{"id":"stranger","host":"web-2","pid":"8"}}'],
  ['another kind', '{"kind":"other","asked":"a","from":{"id":"stranger","host":"web-2","pid":8}}'],
  ['a question without an id', '{"kind":"question","from":{"id":"stranger","host":"web-2","pid":8}}'],
])('ignores what no process of the library sends: %s', async (_, text) => {
  const { peers } = await openProcess()
  wire.published.length = 0
  wire.send(channel, text)
  await settled()
  expect(wire.published).toEqual([text])
  expect((await peers.ask('how')).silent).toEqual([])
  expect(deadlines.size).toBe(0)
})

it('ignores a message that is too long when it is inflated', async () => {
  const { peers } = await openProcess()
  const silentIds = async (): Promise<string[]> => {
    const asking = peers.ask('how')
    for (const end of deadlines.values()) end()
    return (await asking).silent.map(({ id }) => id)
  }
  for (const [id, length] of [
    ['too long', 2 ** 24],
    ['long', 2 ** 24 - 1_000],
  ] as const) {
    const json = JSON.stringify({ kind: 'here', from: { ...stranger, id }, padding: ' '.repeat(length) })
    wire.send(channel, deflateRawSync(json).toString('base64'))
  }
  await eventually(async () => (await silentIds()).length > 0)
  expect(await silentIds()).toEqual(['long'])
})

describe('processes', () => {
  it('learn of each other when the second one starts, with one message each', async () => {
    await openProcess()
    wire.published.length = 0
    await openProcess()
    expect(wire.published.map((text) => JSON.parse(text).kind)).toEqual(['new', 'here'])
  })

  it('announce themselves again after a lost connection, and until the store takes it', async () => {
    const { connection, one } = await openTwo()
    for (const retry of retries) retry()
    await settled()
    expect(wire.published).toEqual([])
    connection.lose()
    wire.isBroken = true
    for (const retry of retries) retry()
    await settled()
    expect(wire.published).toEqual([])
    wire.isBroken = false
    for (const retry of retries) retry()
    await settled()
    expect(wire.published.map((text) => JSON.parse(text))).toMatchObject([
      { kind: 'new', from: one.self },
      { kind: 'here' },
    ])
  })

  it('leave nothing behind when they stop, once, even if the store does not answer', async () => {
    const timers = jest.spyOn(globalThis, 'setInterval')
    const clearing = jest.spyOn(globalThis, 'clearInterval').mockImplementation(() => {})
    const { one, two } = await openTwo()
    await one.stop()
    await one.stop()
    expect(clearing.mock.calls[0]).toEqual([timers.mock.results[0]!.value])
    expect(wire.published).toHaveLength(1)
    expect(wire.subscriptions).toBe(2)
    wire.isBroken = true
    await expect(two.stop()).resolves.toBeUndefined()
  })
})
