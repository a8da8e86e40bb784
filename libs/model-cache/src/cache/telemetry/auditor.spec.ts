import { MemoryStore } from '../../protocol/index.js'
import type { ModelContext, Telemetry } from '../context.js'
import { createLoadPermits } from '../load/load-permits.js'
import { Auditor } from './auditor.js'

/** A value that differs from the source is removed before one of its reads. */
class InvalidatedStore extends MemoryStore {
  #reads = 0

  constructor(readonly removedBefore: number) {
    super()
  }

  override async getMany(): Promise<(string | null)[]> {
    return [++this.#reads < this.removedBefore ? 'old' : null]
  }
}

describe('an audit of a row that differs from the source', () => {
  const auditWith = (removedBefore: number): Promise<string> => {
    const counted = Promise.withResolvers<string>()
    const model = {
      name: 'Lot',
      store: new InvalidatedStore(removedBefore),
      codec: { encode: () => 'new' },
      source: { load: async () => [{ id: 'a' }], mayBlameOneId: () => false },
    } as unknown as ModelContext<{ id: string }, string>
    const telemetry = {
      observer: { audits: counted.resolve },
      log: { warn: () => {}, info: () => {} },
    } as unknown as Telemetry<string>
    const permits = createLoadPermits().ofCache()
    const auditor = new Auditor(model, permits, telemetry, { rate: 1, fenceMs: 1 })
    auditor.hit({ id: 'a', rowId: 'a', key: 'key' }, Buffer.from('old'), 0)
    return counted.promise
  }

  it('counts as changed if its write is reported to the store later than the source was read', async () => {
    expect(await auditWith(3)).toBe('changed')
  })

  it('counts as stale if the row stays in the store', async () => {
    expect(await auditWith(Infinity)).toBe('stale')
  })
})
