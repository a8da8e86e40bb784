import type { RegisterScope, RowFences, RowId } from '../protocol/index.js'
import { InvalidIdError } from '../errors.js'
import type { CacheContext } from './context.js'
import { Invalidator } from './invalidator.js'
import type { TransactionReads } from './read/transaction-reads.js'
import type { Sibling } from './sibling-caches.js'

interface Opened {
  /** Spells an id as the database stores it. */
  readonly canonicalOf?: (id: string) => string | undefined
  readonly isInTransaction?: boolean
  /** Whether the store does not take what is released. */
  readonly isPending?: boolean
  readonly unknownScope?: RegisterScope
  /** Whether other releases have the same ids, by their names. */
  readonly others?: Readonly<Record<string, boolean>>
}

function open({
  canonicalOf,
  isInTransaction = false,
  isPending = false,
  others = {},
  unknownScope = 'all',
}: Opened = {}) {
  const events: unknown[][] = []
  const fencesOf = (...of: readonly string[]) =>
    ({
      release: async (rowIds: readonly RowId[], token: string) =>
        events.push(['release', ...of, rowIds, token]),
      releaseAll: async (token: string, scope: RegisterScope) =>
        events.push(['release all', ...of, scope, token]),
    }) as unknown as RowFences
  const fences = fencesOf()
  const siblings = {
    all: Object.entries(others).map(([name, hasSameIds]): Sibling => ({
      fences: fencesOf(name),
      hasSameIds,
    })),
    catchUp: async () => void events.push(['catch up']),
  }
  const written = {
    markWritten: (of: RowFences, rowIds: readonly RowId[]) => events.push(['mark', rowIds, of === fences]),
    markAllWritten: (of: RowFences, scope: RegisterScope) => events.push(['mark all', scope, of === fences]),
  }
  const context = {
    model: {
      keys: {
        toRowId: (id: unknown) => {
          if (typeof id !== 'string') throw new InvalidIdError('Lot', 'a string', id)
          return `row ${id}`
        },
      },
      source: { canonicalOf },
    },
    coherence: { pending: { isEmpty: !isPending } },
    telemetry: {
      observer: {
        invalidations: (kind: string, count: number) => events.push(['count', kind, count]),
        unknownWrites: (reason: string) => events.push(['unknown', reason]),
      },
    },
  } as unknown as CacheContext<object, string>
  const transactionReads = {
    current: () => (isInTransaction ? { fences: written } : undefined),
  } as unknown as TransactionReads<object, string>
  return {
    events,
    invalidator: new Invalidator(context, fences, transactionReads, unknownScope, siblings),
  }
}

describe('invalidating by hand', () => {
  it('belongs to the transaction of the caller', async () => {
    const { events, invalidator } = open({ isInTransaction: true })
    await invalidator.invalidate(['a'])
    await invalidator.invalidateAll()
    expect(events).toEqual([
      ['count', 'ids', 1],
      ['mark', ['row a'], true],
      ['count', 'all', 1],
      ['mark all', 'all', true],
    ])
  })

  it('reaches what processes of other releases store, all of it if their ids are others', async () => {
    const others = { encrypted: true, older: false }
    const { events, invalidator } = open({ others })
    await invalidator.invalidate(['a'])
    expect(events).toEqual([
      ['count', 'ids', 1],
      ['release', ['row a'], ''],
      ['release', 'encrypted', ['row a'], ''],
      ['release all', 'older', 'all', ''],
    ])
    const { events: marked, invalidator: inTransaction } = open({ others, isInTransaction: true })
    await inTransaction.invalidate(['a'])
    expect(marked).toEqual([
      ['count', 'ids', 1],
      ['mark', ['row a'], true],
      ['mark', ['row a'], false],
      ['mark all', 'all', false],
    ])
  })

  it('looks for other releases before it reaches them if the store did not answer', async () => {
    const { events, invalidator } = open({ isPending: true, others: { older: true } })
    await invalidator.invalidate(['a'])
    expect(events).toEqual([
      ['count', 'ids', 1],
      ['release', ['row a'], ''],
      ['catch up'],
      ['release', 'older', ['row a'], ''],
    ])
  })

  it('names rows as the database spells their ids', async () => {
    const { events, invalidator } = open({ canonicalOf: (id) => id.toLowerCase() })
    await invalidator.invalidate(['A', 'b'])
    expect(events.at(-1)).toEqual(['release', ['row a', 'row b'], ''])
  })

  it.each([
    [false, ['release all', 'existence', '']],
    [true, ['mark all', 'existence', true]],
  ])(
    'invalidates what an id stands for of which only the database knows the spelling (transaction: %p)',
    async (isInTransaction, event) => {
      const canonicalOf = (id: string) => (id === 'x' ? undefined : id)
      const { events, invalidator } = open({ canonicalOf, isInTransaction, unknownScope: 'existence' })
      await invalidator.invalidate(['a', 'x'])
      expect(events).toEqual([['count', 'ids', 2], ['unknown', 'spelling'], event])
    },
  )

  it('rejects an invalid id, and invalidates nothing', async () => {
    const { events, invalidator } = open({ canonicalOf: (id) => id })
    await expect(invalidator.invalidate(['a', 5 as never])).rejects.toThrow(InvalidIdError)
    expect(events).toEqual([])
  })
})
