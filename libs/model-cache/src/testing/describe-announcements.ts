import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Announcement, GuardedKey, Store } from '../protocol/index.js'

/** The part of the store contract about what writes announce; a store of one process has nobody to announce it to. */
export function describeAnnouncements(
  it: (name: string, body: () => Promise<void>) => unknown,
  storeOf: () => Store,
  guarded: (name: string) => GuardedKey,
): void {
  // No row that could be stored, one command, and several.
  for (const count of [0, 2, 100]) {
    it(`come in order when ${count} rows are fenced, and released`, async () => {
      const store = storeOf()
      const { messages } = store
      const rows = Array.from({ length: count }, (_, i) => guarded(`row-${i}`))
      const channel = `{${randomUUID()}}:written`
      const heard = await heardOn(store, channel)
      assert.equal(
        await store.fenceMany(rows, {
          token: 'w',
          fenceMs: 60_000,
          markMs: 60_000,
          announcement: { channel, message: 'fenced' },
        }),
        true,
      )
      assert.equal(
        await store.releaseFences(rows, {
          token: 'w',
          holdMs: 0,
          markMs: 1,
          announcement: { channel, message: 'released' },
        }),
        true,
      )
      const ofModel = { scope: 'all', token: 'w', markMs: 1 } as const
      const fence = { ...ofModel, kind: 'fence', fenceMs: 60_000 } as const
      const release = { ...ofModel, kind: 'release', holdMs: 0 } as const
      for (const [change, message] of [
        [fence, 'all fenced'],
        [release, 'all released'],
      ] as const) {
        const announcement = { channel, message }
        const { isAnnounced } = await store.change(`{${randomUUID()}}:register`, { ...change, announcement })
        assert.equal(isAnnounced, true)
      }
      const announced = messages ? ['fenced', 'released', 'all fenced', 'all released'] : []
      while (heard.length < announced.length) await delay(1)
      assert.deepEqual(heard, announced)
    })
  }

  it('come in the order in which their texts are read, as these are numbered then', async () => {
    const store = storeOf()
    const { messages } = store
    const channel = `{${randomUUID()}}:written`
    const heard = await heardOn(store, channel)
    let read = 0
    const numbered = (): Announcement => ({
      channel,
      get message() {
        return String(++read)
      },
    })
    const of = { token: 'w', markMs: 1 } as const
    const commands = [1, 100, 1].flatMap((count, i) => {
      const rows = Array.from({ length: count }, (_, row) => guarded(`row-${i}-${row}`))
      return [
        store.fenceMany(rows, { ...of, fenceMs: 60_000, announcement: numbered() }),
        store.releaseFences(rows, { ...of, holdMs: 0, announcement: numbered() }),
      ]
    })
    await Promise.all(commands)
    if (!messages) return
    while (heard.length < commands.length) await delay(1)
    assert.deepEqual(heard, ['1', '2', '3', '4', '5', '6'])
  })
}

/** The messages of a channel from now on. */
async function heardOn({ messages }: Store, channel: string): Promise<readonly string[]> {
  const heard: string[] = []
  await messages?.subscribe(
    channel,
    (message) => heard.push(message),
    () => {},
  )
  return heard
}
