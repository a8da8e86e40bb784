import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChangedRegister, RegisterChange } from '../protocol/index.js'

/** Long enough for a few commands, even on a busy machine. */
const soonMs = 1_000

/** The part of the store contract about registers; `run` changes the register under test. */
export function describeRegisters(
  it: (name: string, body: () => Promise<void>) => unknown,
  run: (change: RegisterChange) => Promise<ChangedRegister>,
): void {
  const list = (kind: 'join' | 'extend', listing: string, lifeMs = 60_000) =>
    ({ kind, listing, lifeMs, markMs: 60_000 }) as const
  const join = (listing: string, lifeMs?: number) => list('join', listing, lifeMs)
  const fence = (scope: 'all' | 'existence', token: string, fenceMs = 60_000, markMs = 60_000) =>
    ({ kind: 'fence', scope, token, fenceMs, markMs }) as const
  const release = (scope: 'all' | 'existence', token: string, holdMs = 0, markMs = 60_000) =>
    ({ kind: 'release', scope, token, holdMs, markMs }) as const
  const parse = (text: string) => {
    const [epoch, existence, since, mark, fences, existenceFences, listed] = text.split(';')
    const parts = (listed || undefined)?.split(' ').map((part) => part.split('@')) ?? []
    return {
      epoch,
      existence,
      since: Number(since),
      mark: Number(mark),
      fences,
      existenceFences,
      listings: parts.map(([listing]) => listing!),
      untils: parts.map(([, until]) => Number(until)),
    }
  }
  const change = async (of: RegisterChange) => parse((await run(of)).text)

  it('creates one with the first join, and keeps its epochs with others', async () => {
    const first = await change(join('p1'))
    const second = await change(join('p2'))
    const again = await change(join('p1'))
    assert.deepEqual([first.listings, second.listings], [['p1'], ['p1', 'p2']])
    assert.deepEqual(again.listings.toSorted(), ['p1', 'p2'])
    assert.ok(Math.abs(first.since - Date.now()) < 60_000)
    for (const { epoch, existence, since } of [second, again])
      assert.deepEqual([epoch, existence, since], [first.epoch, first.existence, first.since])
  })

  it('drops expired listings, and does not bring them back when they are extended', async () => {
    await change(join('p1', 20))
    await delay(60)
    assert.deepEqual((await change(list('extend', 'p1'))).listings, [])
    assert.deepEqual((await change(join('p2'))).listings, ['p2'])
    await change(join('p3', 20))
    await delay(60)
    const expired = await change({ kind: 'expire', markMs: 60_000 })
    assert.deepEqual(expired.listings, ['p2'])
  })

  it('makes the life of a listing longer, never shorter', async () => {
    const first = await change(join('p1'))
    for (const kind of ['join', 'extend'] as const) {
      const later = await change(list(kind, 'p1', kind === 'join' ? 120_000 : 180_000))
      assert.ok(later.untils[0]! > first.untils[0]! + 30_000)
      const shorter = await change(list(kind, 'p1', 1))
      assert.deepEqual([shorter.listings, shorter.untils], [['p1'], later.untils])
    }
  })

  it('has new epochs with each fence and each release, and the fences in between', async () => {
    const joined = await change(join('p1'))
    const fenced = await change(fence('all', 'w'))
    assert.match(fenced.fences!, /^w@\d+$/)
    const beside = await change(fence('all', 'w2', soonMs))
    const released = await change(release('all', 'w'))
    assert.match(released.fences!, /^w2@\d+$/)
    const changes = [joined, fenced, beside, released]
    assert.equal(new Set(changes.map(({ epoch }) => epoch)).size, 4)
    assert.equal(new Set(changes.map(({ existence }) => existence)).size, 4)
    await delay(1.2 * soonMs)
    const after = await change(join('p1'))
    assert.deepEqual([after.epoch, after.fences, after.listings], [released.epoch, '', ['p1']])
  })

  it('changes the existence epoch alone, under fences of its own', async () => {
    const joined = await change(join('p1'))
    const fenced = await change(fence('existence', 'w'))
    assert.deepEqual([fenced.epoch, fenced.fences, fenced.mark], [joined.epoch, '', 0])
    assert.notEqual(fenced.existence, joined.existence)
    assert.match(fenced.existenceFences!, /^w@\d+$/)
    const other = await change(release('all', 'w'))
    assert.notEqual(other.epoch, joined.epoch)
    assert.notEqual(other.existence, fenced.existence)
    assert.match(other.existenceFences!, /^w@\d+$/)
    const released = await change(release('existence', 'w'))
    assert.deepEqual([released.epoch, released.existenceFences], [other.epoch, ''])
    assert.notEqual(released.existence, other.existence)
    assert.deepEqual(released.listings, ['p1'])
  })

  it('brings no epoch back if a change is delivered twice', async () => {
    for (const scope of ['all', 'existence'] as const) {
      const twice = release(scope, 'w')
      const first = await change(twice)
      await change(release(scope, 'w2'))
      const again = await change(twice)
      if (scope === 'all') assert.notEqual(again.epoch, first.epoch)
      assert.notEqual(again.existence, first.existence)
    }
  })

  it('holds a scope once, until the last deadline', async () => {
    for (const holdMs of [60_000, 3_600_000, 60_000]) {
      for (const scope of ['all', 'existence'] as const) {
        await change(fence(scope, 'w'))
        await change(release(scope, 'w', holdMs))
        await change(release(scope, '', holdMs))
      }
    }
    const { fences, existenceFences } = await change(join('p1'))
    for (const held of [fences, existenceFences]) {
      const [, until] = /^held@(\d+)$/.exec(held!)!
      assert.ok(Number(until) > Date.now() + 3_000_000)
    }
  })

  it('remembers a write to the whole model after its release or after its fence expires', async () => {
    assert.equal((await change(join('p1'))).mark, 0)
    assert.equal((await change(fence('all', 'w1', 30, 60_000))).mark, 0)
    await delay(80)
    assert.ok((await change(join('p1'))).mark > Date.now())
    const { mark } = await change(release('all', 'w2', 0, 3_600_000))
    assert.ok(mark > Date.now() + 3_000_000)
    assert.equal((await change(release('all', 'w2', 0, 30))).mark, mark)
  })
}
