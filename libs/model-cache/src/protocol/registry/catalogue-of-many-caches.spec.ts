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
