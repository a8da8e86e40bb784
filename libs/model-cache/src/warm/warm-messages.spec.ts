import { jest } from '@jest/globals'
import type { Messages } from '../protocol/index.js'
import type { Hint } from './hints.js'
import { type WarmCounts, warmCountsOf } from './warm-counts.js'
import { WarmingProcesses, WarmListener } from './warm-messages.js'

const hints: readonly Hint[] = [{ cache: 'Lot', id: '7' }]
const { signal } = new AbortController()

/** Delivers at once. */
class Wire implements Messages {
  readonly listeners = new Map<string, Set<(message: string) => void>>()
  async publish(channel: string, message: string): Promise<void> {
    for (const listener of this.listeners.get(channel) ?? []) listener(message)
  }
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.listeners.set(channel, (this.listeners.get(channel) ?? new Set()).add(listener))
  }
  async unsubscribe(channel: string): Promise<void> {
    this.listeners.delete(channel)
  }
}

let wire: Wire
beforeEach(() => {
  jest.useFakeTimers()
  wire = new Wire()
})
afterEach(() => void jest.useRealTimers())

async function listen(replay: (hints: readonly Hint[]) => Promise<WarmCounts | undefined>) {
  const listener = new WarmListener('mc', wire, { perSecond: 50, replay })
  listener.start()
  await jest.advanceTimersByTimeAsync(0)
  return listener
}

async function command(): Promise<WarmingProcesses> {
  const processes = new WarmingProcesses('mc', wire)
  await processes.open()
  return processes
}

it('has the process that answers first replay hints', async () => {
  const replayed: (readonly Hint[])[] = []
  await listen(async (batch) => {
    replayed.push(batch)
    return warmCountsOf({ stored: batch.length })
  })
  const processes = await command()
  const found = await processes.find(signal)
  expect(found).toEqual({ id: expect.any(String), host: expect.any(String), pid: process.pid, perSecond: 50 })
  expect(await processes.replay(found!, hints, signal)).toEqual(warmCountsOf({ stored: 1 }))
  expect(replayed).toEqual([hints])
})

it('waits for as long as the process says that it is working', async () => {
  const { promise, resolve } = Promise.withResolvers<WarmCounts>()
  await listen(() => promise)
  const processes = await command()
  const replaying = processes.replay((await processes.find(signal))!, hints, signal)
  await jest.advanceTimersByTimeAsync(60_000)
  resolve(warmCountsOf({ refused: 1 }))
  expect(await replaying).toEqual(warmCountsOf({ refused: 1 }))
})

it('gives up a process that is silent, and finds none', async () => {
  const listener = await listen(async () => undefined)
  const processes = await command()
  const found = (await processes.find(signal))!
  const replaying = processes.replay(found, hints, signal)
  await jest.advanceTimersByTimeAsync(10_000)
  expect(await replaying).toBeUndefined()
  await listener.stop()
  const finding = processes.find(signal)
  await jest.advanceTimersByTimeAsync(3_000)
  expect(await finding).toBeUndefined()
})

it('does not wait for what was interrupted', async () => {
  await listen(() => new Promise(() => {}))
  const processes = await command()
  const found = (await processes.find(signal))!
  const ending = new AbortController()
  const replaying = processes.replay(found, hints, ending.signal)
  ending.abort()
  expect(await replaying).toBeUndefined()
  expect(await processes.find(ending.signal)).toBeUndefined()
})

it('replays neither more than a few batches at a time, nor what is no batch of a command', async () => {
  const replay = jest.fn<() => Promise<undefined>>(() => new Promise(() => {}))
  await listen(replay)
  const processes = await command()
  const { id } = (await processes.find(signal))!
  const send = (message: unknown): Promise<void> =>
    wire.publish(`mc:{warm}:${id}`, typeof message === 'string' ? message : JSON.stringify(message))
  const batch = { kind: 'hints', batch: '1', replyTo: 'mc:{warm}:x', hints }
  for (const wrong of [
    'no JSON',
    null,
    { ...batch, replyTo: 'mc:{Lot}:written' },
    { ...batch, hints: Array(101).fill(hints[0]) },
    { ...batch, hints: [{ cache: 'Lot', id: 7 }] },
    { ...batch, batch: undefined },
    { ...batch, kind: 'other' },
  ])
    await send(wrong)
  expect(replay).not.toHaveBeenCalled()
  for (let i = 0; i < 9; i++) await send(batch)
  expect(replay).toHaveBeenCalledTimes(4)
})

it('subscribes again until the store answers', async () => {
  const subscribe = jest.spyOn(wire, 'subscribe').mockRejectedValueOnce(new Error('no connection'))
  await listen(async () => warmCountsOf())
  const processes = await command()
  subscribe.mockClear()
  await jest.advanceTimersByTimeAsync(20_000)
  expect(subscribe).toHaveBeenCalledTimes(2)
  expect(await processes.find(signal)).toBeDefined()
})

it('ignores replies that are none', async () => {
  await listen(async () => undefined)
  const processes = await command()
  const found = (await processes.find(signal))!
  const [channel] = [...wire.listeners.keys()].filter(
    (name) => name.startsWith('mc:{warm}:') && !name.endsWith(found.id),
  )
  const replaying = processes.replay(found, hints, signal)
  for (const reply of [
    'x',
    '{"kind":"replayed"}',
    '{"kind":"replayed","batch":"other","counts":{}}',
    '{"kind":"here"}',
  ])
    await wire.publish(channel!, reply)
  await jest.advanceTimersByTimeAsync(10_000)
  expect(await replaying).toBeUndefined()
})
