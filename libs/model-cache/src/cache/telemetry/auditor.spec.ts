import { jest } from '@jest/globals'
import { entryIdOf, MemoryStore, negativeEntryOf, type RowId } from '../../protocol/index.js'
import type { Source } from '../../source/source.js'
import type { ModelContext, Telemetry } from '../context.js'
import { createLoadPermits } from '../load/load-permits.js'
import { Auditor } from './auditor.js'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

interface Lot {
  readonly id: string
}

const fenceMs = 1_000

/** A value is removed before one of its reads. */
class InvalidatedStore extends MemoryStore {
  readonly keys: string[] = []

  constructor(
    readonly value: string,
    readonly removedBefore: number,
  ) {
    super()
  }

  override async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    this.keys.push(...keys)
    return [this.keys.length < this.removedBefore ? this.value : null]
  }
}

interface Given {
  readonly rate?: number
  readonly removedBefore?: number
  readonly rowId?: RowId
  /** What the store has: a header, then the payload. */
  readonly stored?: string
  readonly source?: Partial<Source<Lot, string>>
  readonly isRefused?: (stored: Lot) => Promise<boolean>
}

/** Audits values of the store; the source has a row whose payload is `new`. */
function open({
  rate = 1,
  removedBefore = Infinity,
  rowId = 'a',
  stored = 'head;old',
  ...given
}: Given = {}) {
  const audits: string[] = []
  const logged: string[] = []
  const loaded: unknown[] = []
  const store = new InvalidatedStore(stored, removedBefore)
  const model = {
    name: 'Lot',
    store,
    codec: {
      encode: () => 'new',
      decodeUtf8: (bytes: Buffer) => (String(bytes) === 'null' ? null : { id: String(bytes) }),
    },
    source: {
      load: async (ids: readonly string[]) => {
        loaded.push(...ids)
        return ids.map((id) => ({ id }))
      },
      mayBlameOneId: () => false,
      ...given.source,
    },
  } as unknown as ModelContext<Lot, string>
  const telemetry = {
    observer: { audits: (outcome: string) => audits.push(outcome) },
    log: { warn: (message: string) => logged.push(message), info: () => {} },
  } as unknown as Telemetry<string>
  const permits = createLoadPermits().ofCache()
  const auditor = new Auditor(model, permits, telemetry, { rate, fenceMs }, given.isRefused)
  const hit = (times = 1): void => {
    for (let i = 0; i < times; i++)
      auditor.hit({ id: 'a', rowId, key: 'key' }, Buffer.from(stored), 'head;'.length)
  }
  /** Lets all audits end. */
  const end = () => jest.advanceTimersByTimeAsync(3 * fenceMs)
  const audit = async (): Promise<string[]> => {
    hit()
    await end()
    return audits
  }
  return { audit, auditor, audits, end, hit, loaded, logged, store }
}

describe('an audit', () => {
  it('compares a row with the source once no write can still be changing it', async () => {
    const { audits, hit, loaded, logged, store } = open({ stored: 'head;new' })
    hit()
    await jest.advanceTimersByTimeAsync(fenceMs - 1)
    expect(store.keys).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect([audits, loaded, store.keys, logged]).toEqual([['fresh'], ['a'], ['key', 'key'], []])
  })

  it('compares a negative entry', async () => {
    const source = { load: async () => [] }
    expect(await open({ stored: `head;${negativeEntryOf('a')}`, source }).audit()).toEqual(['fresh'])
    expect(await open({ stored: `head;${negativeEntryOf('b')}`, source }).audit()).toEqual(['stale'])
  })

  it('fails with its source', async () => {
    const load = () => Promise.reject(new Error('no connection'))
    expect(await open({ source: { load } }).audit()).toEqual(['failed'])
  })

  it.each([
    [true, 'fresh'],
    [false, 'changed'],
  ])('takes only committed rows for those of the source (%p)', async (isCommitted, outcome) => {
    const source = { watchLoad: () => () => isCommitted }
    expect(await open({ stored: 'head;new', source }).audit()).toEqual([outcome])
  })
})

describe('an audit of a row that differs from the source', () => {
  it.each([1, 2, 3])('counts as changed if the store does not have it at its read %d', async (read) => {
    const { audit, logged } = open({ removedBefore: read })
    expect([await audit(), logged]).toEqual([['changed'], []])
  })

  it('counts as stale if the row stays in the store, and names it in the log', async () => {
    const { audit, logged } = open()
    expect(await audit()).toEqual(['stale'])
    expect(logged).toEqual([
      'ModelCache "Lot": an audit found the stored row of id a to be stale. Some write does not go through extendPrisma, and is ' +
        'not followed by invalidate(). See explain(id) for the row.',
    ])
  })

  it('names the entry of a lookup', async () => {
    const { audit, logged } = open({ rowId: entryIdOf('ofOwner', 'ada') })
    await audit()
    expect(logged).toEqual([
      expect.stringMatching(
        /stored entry of "ofOwner" for the key ada .* invalidateBy\(\)\. See explain\(name, key\)/,
      ),
    ])
  })

  it.each([
    [true, 'changed'],
    [false, 'stale'],
  ])('counts as changed if reads refuse it (%p)', async (isRefused, outcome) => {
    const asked: Lot[] = []
    const refuse = async (row: Lot): Promise<boolean> => {
      asked.push(row)
      return isRefused
    }
    expect(await open({ isRefused: refuse }).audit()).toEqual([outcome])
    expect(asked).toEqual([{ id: 'old' }])
    // A negative entry is not refused, and a row that is the same is not asked for.
    expect(await open({ stored: 'head;null', isRefused: refuse }).audit()).toEqual(['stale'])
    expect(await open({ stored: 'head;new', isRefused: refuse }).audit()).toEqual(['fresh'])
    expect(asked).toHaveLength(1)
  })
})

describe('a sample of hits', () => {
  it.each([
    [1, 8],
    [0.5, 2],
  ])('has a rate of %d', async (rate, count) => {
    // With a rate of a half, the fourth hit is the next.
    jest.spyOn(Math, 'random').mockReturnValue(0.9)
    const { audits, end, hit } = open({ rate })
    hit(8)
    await end()
    expect(audits).toHaveLength(count)
  })

  it('has 100 hits at a time', async () => {
    const { audits, end, hit } = open({ stored: 'head;new' })
    hit(150)
    await end()
    expect(audits).toHaveLength(100)
    hit(150)
    await end()
    expect(audits).toHaveLength(200)
  })

  it('is given up', async () => {
    const { audits, auditor, end, hit } = open({ stored: 'head;new' })
    hit(100)
    auditor.stop()
    await end()
    expect(audits).toEqual([])
    hit()
    await end()
    expect(audits).toEqual(['fresh'])
  })
})
