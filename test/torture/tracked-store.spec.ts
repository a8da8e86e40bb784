import { setTimeout as delay } from 'node:timers/promises'
import { type Store } from 'model-cache'
import { MemoryStore } from 'model-cache/advanced'
import { TrackedStore } from './tracked-store.ts'

const nothing = (): void => {}

/** A store that refuses everything while `refuses` is set. */
function refusing(): { readonly store: Store; refuses: boolean } {
  const memory = new MemoryStore()
  const state = { refuses: false, store: memory as Store }
  state.store = new Proxy(memory as Store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        const { refuses } = state
        await delay(1)
        if (refuses) throw new Error('refused')
        return member.apply(target, args) as unknown
      }
    },
  })
  return state
}

describe('TrackedStore', () => {
  it('tracks concurrent pieces of work apart', async () => {
    const tracked = new TrackedStore(nothing, nothing)
    const state = refusing()
    const store = tracked.watch(state.store)
    const work = (isTaken: boolean) =>
      tracked.takes(async () => {
        state.refuses = !isTaken
        await store
          .fenceMany([{ key: '{a}', guard: '{a}:l' }], { token: 'token', fenceMs: 100, markMs: 100 })
          .catch(nothing)
      })
    expect(await Promise.all([work(true), work(false), work(true)])).toEqual([true, false, true])
  })

  it('counts a read of the catalogue for all work in progress', async () => {
    const tracked = new TrackedStore(nothing, nothing)
    const state = refusing()
    const store = tracked.watch(state.store)
    state.refuses = true
    const asked = store.askCatalogue('{catalogue}', { known: '', isWriter: true }).catch(nothing)
    expect(await tracked.takes(async () => void (await asked))).toBe(false)
  })

  it('has caught up when everything that was refused has been taken', () => {
    let times = 0
    const tracked = new TrackedStore(nothing, () => times++)
    const refused = 'ModelCache "A": an invalidation has not reached the store; the rows'
    const taken = 'ModelCache "A": all invalidations have reached the store.'
    tracked.warn(refused)
    tracked.warn('ModelCache: the catalogue of namespace "mc" cannot be read, so this process')
    tracked.info(taken)
    expect([tracked.isCaughtUp, times]).toEqual([false, 0])
    tracked.info('ModelCache: the catalogue of namespace "mc" has been read again.')
    expect([tracked.isCaughtUp, times]).toEqual([true, 1])
  })

  it('counts reads and fills, and ignores other events', () => {
    const counts: [string, number][] = []
    const observer = new TrackedStore((...count) => counts.push(count), nothing).observer.forModel('Row')
    observer.reads('store', 'hit', 2)
    observer.fills('stored', 3)
    observer.readSeconds(1, 1, 'hit')
    observer.fences('store_error', 1)
    expect(counts).toEqual([
      ['store hit', 2],
      ['fill stored', 3],
    ])
  })
})
