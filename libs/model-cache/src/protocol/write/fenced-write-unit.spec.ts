import { describedLots } from '../../../../../test/support/described-lots.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import type { CatalogueAnswer, CatalogueRequest, Messages, RegisterChange } from '../backend/store.js'
import { affectingTables, type CacheDescription, entryOf, layoutOf } from '../registry/cache-description.js'
import { modelKeys } from '../format/key-space.js'
import { ModelCacheWrites } from './model-cache-writes.js'

const lots = describedLots()
const bids: CacheDescription = { ...lots, name: 'Bid', model: 'Bid' }

type Unit = ReturnType<ModelCacheWrites['begin']>

/** Can lose the catalogue. */
class LosingStore extends FlakyStore {
  #lost = 0

  override askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    return super.askCatalogue(key + '!'.repeat(this.#lost), request)
  }
  lose(): void {
    this.#lost++
  }
}

async function open(...descriptions: CacheDescription[]) {
  const store = new LosingStore(new MemoryStore())
  const writes = new ModelCacheWrites({ store })
  /** Another process describes a cache. */
  const describeCache = async (description: CacheDescription, fingerprint = 'print'): Promise<void> => {
    const { field, text } = entryOf(description, fingerprint)
    await store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put: new Map([[field, text]]) })
  }
  for (const description of descriptions) await describeCache(description)
  await writes.prepare()
  /** The caches all of whose rows have been written. */
  const emptied = async (): Promise<string[]> => {
    const names = ['Lot', 'Bid']
    const registers = await store.getMany(names.map((name) => modelKeys('mc', name).registerKey))
    return names.filter((_, i) => registers[i] !== null)
  }
  /** Another write of this process, which reads the catalogue. */
  const learn = async (): Promise<void> => {
    const other = writes.begin()
    other.noteWrite()
    await other.fence()
    await other.end()
  }
  return { describeCache, emptied, learn, store, writes }
}

describe('a write', () => {
  it.each<readonly [string, (unit: Unit) => void]>([
    ['rows', (unit) => unit.markWritten('Bid', [{ id: 'a' }])],
    ['everything', (unit) => unit.markEverything('raw')],
    ['all rows', (unit) => unit.markAllWritten('Bid', 'raw')],
    ['created rows', (unit) => unit.markCreated('Bid', 'created')],
    ['rows that enter lookups', (unit) => unit.markJoined('Bid', [{ id: 'a' }])],
    [
      'rows that enter lookups through a relation',
      (unit) => unit.markJoinedThrough('Bid', 'tags', [{ id: 'a' }]),
    ],
  ])('to %s empties a cache of theirs that is described while it runs, and no other', async (_, mark) => {
    const { describeCache, emptied, writes } = await open()
    const unit = writes.begin()
    mark(unit)
    await describeCache(bids)
    await unit.fence()
    await unit.end()
    expect(await emptied()).toEqual(['Bid'])
    await writes.close()
  })

  it('fences a cache that is described while it runs before it commits, not only when it ends', async () => {
    const { describeCache, emptied, writes } = await open()
    const unit = writes.begin()
    unit.markWritten('Bid', [{ id: 'a' }])
    await describeCache(bids)
    await unit.fence()
    expect([unit.isFenced, await emptied()]).toEqual([true, ['Bid']])
    await unit.end()
    await writes.close()
  })

  it('empties a cache that the process has learned of since it began, and keeps the others', async () => {
    const { describeCache, emptied, learn, store, writes } = await open(lots)
    const unit = writes.begin()
    unit.markWritten('Bid', [{ id: 'a' }])
    await describeCache(bids)
    store.fail('change')
    await learn()
    store.recover()
    unit.markWritten('Bid', [{ id: 'b' }])
    await unit.fence()
    await unit.end()
    expect(await emptied()).toEqual(['Bid'])
    await writes.close()
  })

  it('empties a cache that was missing for a while, because the catalogue had been lost', async () => {
    const { describeCache, emptied, learn, store, writes } = await open(lots)
    const unit = writes.begin()
    store.lose()
    await learn()
    expect(writes.idFieldsOf('Lot')).toEqual([])
    unit.markWritten('Lot', [{ id: 'a' }])
    await describeCache(lots)
    await unit.fence()
    await unit.end()
    expect(await emptied()).toEqual(['Lot'])
    await writes.close()
  })

  it('announces all rows of a cache of another process', async () => {
    const announced: (string | undefined)[] = []
    const nothing = async (): Promise<void> => {}
    class AnnouncingStore extends MemoryStore {
      readonly messages: Messages = { publish: nothing, subscribe: nothing, unsubscribe: nothing }

      override change(key: string, change: RegisterChange) {
        if (change.kind === 'fence') announced.push(change.announcement?.channel)
        return super.change(key, change)
      }
    }
    const store = new AnnouncingStore()
    const { field, text } = entryOf(lots, 'print')
    await store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put: new Map([[field, text]]) })
    const writes = new ModelCacheWrites({ store })
    await writes.prepare()
    const unit = writes.begin()
    unit.markAllWritten('Lot', 'raw')
    await unit.fence()
    expect(announced).toEqual([modelKeys('mc', 'Lot').channel])
    await unit.end()
    await writes.close()
  })

  it('does not identify rows by a part of their id', async () => {
    const id = ['saleId', 'number'].map((name) => ({ name, kind: 'string' }) as const)
    const { emptied, store, writes } = await open({ ...lots, id })
    const unit = writes.begin()
    unit.markWritten('Lot', [{ saleId: 's' }, { number: 'n' }])
    await unit.fence()
    await unit.end()
    expect([await emptied(), store.calls.fenceMany]).toEqual([[], 0])
    await writes.close()
  })

  it('leaves out caches whose rows are known when all rows of the others have been written', async () => {
    const slug = [{ name: 'slug', kind: 'string' }] as const
    const { emptied, writes } = await open(lots, { ...bids, model: 'Lot', id: slug })
    const unit = writes.begin()
    unit.markAllWritten('Lot', 'unknown', [['id']])
    await unit.fence()
    expect(await emptied()).toEqual(['Bid'])
    await unit.end()
    await writes.close()
  })

  it('tells a cache of this process why all its rows have been written, once', async () => {
    const { store, writes } = await open()
    const reasons: string[] = []
    writes.cachesIn({ store }).add({
      affectedBy: affectingTables(lots),
      description: lots,
      rowIdOf: ({ id }) => id as string,
      layout: layoutOf(lots),
      fences: {} as never,
      onAllWritten: (reason) => void reasons.push(reason),
    })
    const unit = writes.begin()
    unit.markAllWritten('Lot', 'raw')
    unit.markEverything('unknown')
    expect(reasons).toEqual(['raw'])
    await writes.close().catch(() => {})
  })
})
