import { getEventListeners } from 'node:events'
import { jest } from '@jest/globals'
import { Wire } from '../../../../test/support/wire.js'
import type { Hint } from './hints.js'
import { type WarmCounts, warmCountsOf } from './warm-counts.js'
import { WarmingProcesses, WarmListener } from './warm-messages.js'

const hints: readonly Hint[] = [{ cache: 'Lot', id: '7' }]
const lots = new Set(['Lot'])
const { signal } = new AbortController()

let wire: Wire
beforeEach(() => {
  jest.useFakeTimers()
  wire = new Wire()
})
afterEach(() => void jest.useRealTimers())

async function listen(
  replay: (hints: readonly Hint[]) => Promise<WarmCounts | undefined>,
  caches: readonly string[] = ['Lot'],
) {
  const listener = new WarmListener('mc', wire, { caches, perSecond: 50, replay })
  listener.start()
  await jest.advanceTimersByTimeAsync(0)
  return listener
}

async function command() {
  const processes = new WarmingProcesses('mc', wire)
  await processes.open()
  const find = async (ending = signal) => (await processes.find(lots, ending)).get('Lot')
  return { find, processes }
}

it('finds no process that has no caches yet', async () => {
  const warmer = { caches: [] as string[], perSecond: 50, replay: async () => undefined }
  new WarmListener('mc', wire, warmer).start()
  await jest.advanceTimersByTimeAsync(0)
  const { find } = await command()
  const finding = find()
  await jest.advanceTimersByTimeAsync(3_000)
  expect(await finding).toBeUndefined()
  warmer.caches.push('Lot')
  expect(await find()).toMatchObject({ pid: process.pid })
})

it('finds a process for each cache, whichever answers first', async () => {
  for (const caches of [['Guest'], ['Lot', 'Bid'], ['Lot', 'Guest']])
    await listen(async () => undefined, caches)
  const { processes } = await command()
  const finding = processes.find(new Set(['Lot', 'Guest', 'Other']), signal)
  await jest.advanceTimersByTimeAsync(2_000)
  const found = [...(await finding)].map(([cache, reader]) => [cache, reader.caches])
  expect(Object.fromEntries(found)).toEqual({ Guest: ['Guest'], Lot: ['Lot', 'Bid'] })
  // Without the time in which others may answer.
  expect([...(await processes.find(new Set(['Bid', 'Guest']), signal)).keys()]).toEqual(['Guest', 'Bid'])
})

it('waits for as long as the process says that it is working', async () => {
  const { promise, resolve } = Promise.withResolvers<WarmCounts>()
  await listen(() => promise)
  const { find, processes } = await command()
  const replaying = processes.replay((await find())!, hints, signal)
  await jest.advanceTimersByTimeAsync(60_000)
  resolve(warmCountsOf({ refused: 1 }))
  expect(await replaying).toEqual(warmCountsOf({ refused: 1 }))
})

it('gives up a process that is silent, and finds none', async () => {
  const listener = await listen(async () => undefined)
  const { find, processes } = await command()
  const found = (await find())!
  const replaying = processes.replay(found, hints, signal)
  await jest.advanceTimersByTimeAsync(10_000)
  expect(await replaying).toBeUndefined()
  await listener.stop()
  const finding = find()
  await jest.advanceTimersByTimeAsync(3_000)
  expect(await finding).toBeUndefined()
})

it('does not wait for what was interrupted', async () => {
  await listen(() => new Promise(() => {}))
  const { find, processes } = await command()
  const found = (await find())!
  const ending = new AbortController()
  const replaying = processes.replay(found, hints, ending.signal)
  ending.abort()
  expect(await replaying).toBeUndefined()
  expect(await find(ending.signal)).toBeUndefined()
})

describe('a process that is sent batches', () => {
  const batch = { kind: 'hints', batch: '1', replyTo: 'mc:{warm}:x', hints }

  /** Its replays wait until they are ended. */
  async function listenSlowly() {
    const replays: { readonly hints: readonly Hint[]; readonly end: () => void }[] = []
    const replay = (replayed: readonly Hint[]) =>
      new Promise<undefined>((end) => replays.push({ hints: replayed, end: () => end(undefined) }))
    const listener = await listen(replay)
    const { id } = (await (await command()).find())!
    const send = (message: unknown): Promise<void> =>
      wire.publish(`mc:{warm}:${id}`, typeof message === 'string' ? message : JSON.stringify(message))
    return { listener, replays, send }
  }

  it.each([
    'no JSON',
    null,
    { ...batch, replyTo: 'mc:{Lot}:written' },
    { ...batch, replyTo: 7 },
    { ...batch, replyTo: undefined },
    { ...batch, hints: Array(101).fill(hints[0]) },
    { ...batch, hints: {} },
    { ...batch, hints: [...hints, { cache: 'Lot', id: 7 }] },
    { ...batch, hints: [{ cache: 7, id: '7' }] },
    { ...batch, hints: [null] },
    { ...batch, batch: undefined },
    { ...batch, batch: 7 },
    { ...batch, kind: 'other' },
  ])('ignores %j', async (message) => {
    const { replays, send } = await listenSlowly()
    await send(message)
    expect(replays).toEqual([])
  })

  it('replays a hundred hints', async () => {
    const { replays, send } = await listenSlowly()
    const most = Array(100).fill(hints[0])
    await send({ ...batch, hints: most })
    expect(replays.map((replay) => replay.hints)).toEqual([most])
  })

  it('replays no more than four batches at a time', async () => {
    const { replays, send } = await listenSlowly()
    for (let i = 0; i < 9; i++) await send(batch)
    expect(replays).toHaveLength(4)
    for (const { end } of replays) end()
    await jest.advanceTimersByTimeAsync(0)
    for (let i = 0; i < 9; i++) await send(batch)
    expect(replays).toHaveLength(8)
  })
})

it('subscribes again until the store answers', async () => {
  const subscribe = jest.spyOn(wire, 'subscribe').mockRejectedValueOnce(new Error('no connection'))
  await listen(async () => warmCountsOf())
  const { find } = await command()
  subscribe.mockClear()
  await jest.advanceTimersByTimeAsync(20_000)
  expect(subscribe).toHaveBeenCalledTimes(2)
  expect(await find()).toBeDefined()
})

it('does not subscribe once it has stopped', async () => {
  const subscribe = jest.spyOn(wire, 'subscribe').mockRejectedValueOnce(new Error('no connection'))
  const listener = await listen(async () => warmCountsOf())
  await listener.stop()
  subscribe.mockClear()
  await jest.advanceTimersByTimeAsync(20_000)
  expect(subscribe).not.toHaveBeenCalled()
})

describe('a command that waits', () => {
  const self = { id: 'x', host: 'h', pid: 1, perSecond: 50, caches: ['Lot'] }
  const counts = warmCountsOf({ stored: 1 })

  /** Asks a process that does not reply by itself. */
  async function ask(question: 'find' | 'replay', ending: AbortSignal = signal) {
    const requests: { readonly replyTo: string; readonly batch: string }[] = []
    const receive = (text: string) => requests.push(JSON.parse(text))
    await wire.subscribe('mc:{warm}', receive)
    await wire.subscribe('mc:{warm}:x', receive)
    const { find, processes } = await command()
    const answer = question === 'find' ? find(ending) : processes.replay(self, hints, ending)
    await jest.advanceTimersByTimeAsync(0)
    const [{ batch, replyTo }] = requests as [(typeof requests)[0]]
    const reply = (message: unknown): Promise<void> =>
      wire.publish(replyTo, typeof message === 'string' ? message : JSON.stringify(message))
    return { answer, batch, reply }
  }

  it.each([
    'x',
    null,
    { kind: 'here' },
    { kind: 'here', process: { ...self, id: 7 } },
    { kind: 'here', process: { ...self, host: undefined } },
    { kind: 'here', process: { ...self, pid: '1' } },
    { kind: 'here', process: { ...self, perSecond: null } },
    { kind: 'here', process: { ...self, caches: undefined } },
    { kind: 'here', process: { ...self, caches: ['Lot', 7] } },
    { kind: 'here', process: { ...self, caches: ['Guest'] } },
    { kind: 'other', process: self },
  ])('for a process ignores %j', async (message) => {
    const { answer, reply } = await ask('find')
    await reply(message)
    await jest.advanceTimersByTimeAsync(2_000)
    expect(await answer).toBeUndefined()
  })

  it('for a process takes what it says of itself', async () => {
    const { answer, reply } = await ask('find')
    await reply({ kind: 'here', process: { ...self, other: 1 } })
    await reply({ kind: 'here', process: { ...self, id: 'second' } })
    expect(await answer).toEqual(self)
  })

  it.each([
    ['of another batch', { batch: 'other' }],
    ['of no batch', { batch: undefined }],
    ['of another kind', { kind: 'other' }],
    ['without counts', { counts: undefined }],
    ['without some counts', { counts: { stored: 1 } }],
    ['with counts that are none', { counts: { ...counts, failed: '0' } }],
  ])('for counts ignores a reply %s', async (_, wrong) => {
    const { answer, batch, reply } = await ask('replay')
    await reply({ kind: 'replayed', batch, counts, ...wrong })
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await answer).toBeUndefined()
  })

  it.each([
    ['another reply', { kind: 'replayed', batch: 'other', counts }],
    ['another process', { kind: 'here', process: self }],
    ['work on no batch', { kind: 'working' }],
  ])('for counts waits no longer because of %s', async (_, message) => {
    const { answer, reply } = await ask('replay')
    await jest.advanceTimersByTimeAsync(9_000)
    await reply(message)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(await answer).toBeUndefined()
  })

  it('leaves neither timer nor listener behind', async () => {
    const ending = new AbortController()
    const { answer, batch, reply } = await ask('replay', ending.signal)
    expect(jest.getTimerCount()).toBe(1)
    await reply({ kind: 'replayed', batch, counts })
    expect(await answer).toEqual(counts)
    expect(jest.getTimerCount()).toBe(0)
    expect(getEventListeners(ending.signal, 'abort')).toEqual([])
  })
})

it('hears no more once it has stopped, also if it stops while it subscribes', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = Object.assign(new Wire(), {
    async subscribe(this: Wire, ...args: Parameters<Wire['subscribe']>) {
      await promise
      await Wire.prototype.subscribe.apply(this, args)
    },
  })
  const warmer = { caches: ['Lot'], perSecond: 50, replay: async () => undefined }
  const listener = new WarmListener('mc', late, warmer)
  listener.start()
  const stopping = listener.stop()
  resolve()
  await stopping
  await jest.advanceTimersByTimeAsync(0)
  expect(late.listeners).toEqual(new Map())
})
