import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from 'model-cache'
import { MemoryStore } from 'model-cache/advanced'
import { ToldStore } from './told-store.ts'

const nothing = (): void => {}

/** A store that refuses all while it is told to. */
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

describe('ToldStore', () => {
  it('says of each piece of work whether the store took it, of several side by side', async () => {
    const told = new ToldStore(nothing, nothing)
    const state = refusing()
    const store = told.watch(state.store)
    const work = (isTaken: boolean) =>
      told.takes(async () => {
        state.refuses = !isTaken
        await store.fenceMany([{ key: '{a}', guard: '{a}:l' }], 'token', 100, 100).catch(nothing)
      })
    expect(await Promise.all([work(true), work(false), work(true)])).toEqual([true, false, true])
  })

  it('takes the question for caches, which several writes ask together, for one of each that is under way', async () => {
    const told = new ToldStore(nothing, nothing)
    const state = refusing()
    const store = told.watch(state.store)
    state.refuses = true
    const asked = store.askCatalogue('{catalogue}', { known: '', isWriter: true }).catch(nothing)
    expect(await told.takes(async () => void (await asked))).toBe(false)
  })

  it('has caught up when all that was refused has been taken', () => {
    let times = 0
    const told = new ToldStore(nothing, () => times++)
    const refused = 'ModelCache "A": an invalidation has not reached the store; the rows'
    const taken = 'ModelCache "A": all invalidations have reached the store.'
    told.warn(refused)
    told.warn('ModelCache: the catalogue of namespace "mc" cannot be read, so this process')
    told.info(taken)
    expect([told.isCaughtUp, times]).toEqual([false, 0])
    told.info('ModelCache: the catalogue of namespace "mc" has been read again.')
    expect([told.isCaughtUp, times]).toEqual([true, 1])
  })

  it('counts reads and fills, and bears whatever else it is told', () => {
    const counts: [string, number][] = []
    const observer = new ToldStore((...count) => counts.push(count), nothing).observer.forModel('Row')
    observer.reads('store', 'hit', 2)
    observer.fills('stored', 3)
    observer.readSeconds(1, 1)
    observer.fences('store_error', 1)
    expect(counts).toEqual([
      ['store hit', 2],
      ['fill stored', 3],
    ])
  })
})
