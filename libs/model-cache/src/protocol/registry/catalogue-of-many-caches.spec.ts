import { MemoryStore } from '../backend/memory-store.js'
import type { CatalogueAnswer, CatalogueRequest } from '../backend/store.js'
import { Catalogue } from './catalogue.js'

const CACHES = 50

/** Records what is asked. */
class RecordingStore extends MemoryStore {
  readonly puts: number[] = []
  reads = 0
  #server = new MemoryStore()

  constructor(readonly shardOf?: (key: string) => string) {
    super()
  }

  override askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    this.puts.push(request.put?.size ?? 0)
    return this.#server.askCatalogue(key, request)
  }

  override getMany(keys: readonly string[]): Promise<(string | null)[]> {
    this.reads++
    return this.#server.getMany(keys)
  }

  lose(): void {
    this.#server = new MemoryStore()
  }
}

describe('the catalogue of a process with many caches', () => {
  const open = (store: MemoryStore) => {
    const catalogue = new Catalogue(store, 'many')
    const fields = Array.from({ length: CACHES }, (_, i) => {
      const common = { id: [], buckets: 1, dependsOn: [], lookups: [], tables: undefined }
      return catalogue.add({ name: `Lot${i}`, model: `Lot${i}`, ...common }, 'print')
    })
    return { catalogue, fields }
  }

  it('describes all of them with one request', async () => {
    const store = new RecordingStore()
    const { catalogue, fields } = open(store)
    await Promise.all(fields.map((field) => catalogue.describe(field)))
    expect(store.puts).toEqual([CACHES])
    expect(fields.filter((field) => !catalogue.has(field))).toEqual([])
  })

  it('describes a cache with a request that is sent after the call', async () => {
    const store = new RecordingStore()
    const { catalogue, fields } = open(store)
    const first = catalogue.describe(fields[0]!)
    await Promise.resolve()
    expect(store.puts).toEqual([CACHES])
    const later = fields.slice(1, 4).map((field) => catalogue.describe(field))
    await Promise.all([first, ...later])
    expect(store.puts).toEqual([CACHES, 3])
  })

  it('describes again what was lost', async () => {
    const store = new RecordingStore()
    const { catalogue, fields } = open(store)
    await catalogue.describe(fields[0]!)
    const before = catalogue.epoch
    store.lose()
    await catalogue.describe(fields[1]!)
    expect(catalogue.epoch).not.toBe(before)
    expect(store.puts).toEqual([CACHES, 1, CACHES - 1])
    expect(fields.filter((field) => !catalogue.has(field))).toEqual([])
  })

  it('reads its epoch once for all caches of a turn, also in a cluster', async () => {
    for (const shardOf of [undefined, () => 'node']) {
      const store = new RecordingStore(shardOf)
      const { catalogue, fields } = open(store)
      await catalogue.describe(fields[0]!)
      const read = async (afterMicrotasks: number) => {
        for (let i = 0; i < afterMicrotasks; i++) await Promise.resolve()
        return catalogue.readEpoch()
      }
      const epochs = await Promise.all(fields.map((_, i) => read(shardOf ? i % 7 : 0)))
      expect(new Set(epochs)).toEqual(new Set([catalogue.epoch]))
      expect(store.reads).toBe(1)
    }
  })
})
