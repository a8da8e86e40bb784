import type { TransactionScope } from '../../protocol/index.js'
import { InvalidIdError } from '../../errors.js'
import type { CacheContext } from '../context.js'
import { currentCalls, SourceCall } from '../load/source-call.js'
import type { RowReads } from './read-collector.js'
import { TransactionReads } from './transaction-reads.js'

interface Lot {
  readonly id: number
}

/** With a field that the schema does not have. */
const lots = [1, 2, 3, 4, 5].map((id): Lot & { readonly secret: string } => ({ id, secret: 'x' }))

function open({
  maxIds = undefined as number | undefined,
  isOwn = undefined as boolean | undefined,
  timeoutMs = 30_000,
} = {}) {
  const scope = { client: {}, isOver: false } as TransactionScope & { isOver: boolean }
  const loads: unknown[] = []
  const misses: unknown[] = []
  const outside: number[] = []
  const callers: unknown[] = []
  const never = new Promise<never>(() => {})
  const state = {
    current: scope as TransactionScope | undefined,
    error: undefined as unknown,
    hangs: false,
    /** The row that the load of each reads. */
    needs: new Map<number, number>(),
  }
  const context = {
    runtime: { permits: { timeoutMs } },
    model: {
      name: 'Lot',
      keys: {
        snapshot: (id: number) => id,
        toRowId: (id: number) => {
          if (typeof id !== 'number') throw new InvalidIdError('Lot', 'a number', id)
          return id
        },
        rowIdOf: ({ id }: Lot) => id,
      },
      source: {
        maxIds,
        load: async (ids: readonly number[], client: object) => {
          loads.push([ids, client === scope.client])
          if (state.hangs) await never
          if (state.error !== undefined) throw state.error
          for (const id of ids) if (state.needs.has(id)) await reads.get(scope, state.needs.get(id)!)
          return lots.filter(({ id }) => ids.includes(id))
        },
        mayBlameOneId: () => true,
        ...(isOwn !== undefined && { isOwnTransaction: () => isOwn }),
      },
      codec: { normalize: ({ id }: Lot) => ({ id }), freeze: (row: Lot) => row },
    },
    policy: { sharesRows: false },
    telemetry: { observer: { misses: (...args: unknown[]) => misses.push(args) } },
  } as unknown as CacheContext<Lot, number>
  const outsideReads: RowReads<Lot, number> = {
    get: async (id) => {
      outside.push(id)
      callers.push(currentCalls())
      return { id: -id }
    },
    getMany: () => Promise.reject(new Error('reads are sent one by one')),
    isEmpty: true,
  }
  const reads = new TransactionReads<Lot, number>(context, { current: () => state.current }, outsideReads)
  return { reads, scope, loads, misses, outside, callers, state }
}

describe('reads within a transaction', () => {
  it('go through its client, one query for those of one stretch of code', async () => {
    const { reads, scope, loads, misses, outside } = open()
    const rows = await Promise.all([1, 2, 9].map((id) => reads.get(scope, id)))
    expect(rows.map((row) => row?.id)).toEqual([1, 2, undefined])
    await reads.get(scope, 3)
    expect(loads).toEqual([
      [[1, 2, 9], true],
      [[3], true],
    ])
    expect([misses, outside]).toEqual([
      [
        ['transaction', 3],
        ['transaction', 1],
      ],
      [],
    ])
  })

  it('give each caller a row of its own, by another query', async () => {
    const { reads, scope, loads } = open()
    await Promise.all([reads.get(scope, 1), reads.get(scope, 1), reads.get(scope, 2)])
    expect(loads.map((load) => (load as [number[]])[0].toSorted())).toEqual([[1, 2], [1]])
  })

  it('are of as many ids as the source takes', async () => {
    const { reads, scope, loads, misses } = open({ maxIds: 2 })
    const rows = await Promise.all([1, 2, 3].map((id) => reads.get(scope, id)))
    expect(rows.map((row) => row?.id)).toEqual([1, 2, 3])
    expect(loads).toEqual([
      [[1, 2], true],
      [[3], true],
    ])
    expect(misses).toHaveLength(2)
  })

  it('fail with the error of the query, which is not sent again in halves', async () => {
    const { reads, scope, loads, state, outside } = open()
    state.error = new Error('deadlock')
    const reading = Promise.allSettled([reads.get(scope, 1), reads.get(scope, 2)])
    expect((await reading).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect([loads.length, outside]).toEqual([1, []])
  })

  it('may read rows for a row, and fail if it needs itself, at once', async () => {
    const { reads, scope, loads, state } = open()
    state.needs.set(1, 2)
    expect(await reads.get(scope, 1)).toEqual({ id: 1 })
    state.needs.set(2, 1)
    loads.length = 0
    await expect(reads.get(scope, 1)).rejects.toMatchObject({ code: 'E_LOAD_CYCLE' })
    expect(loads).toEqual([
      [[1], true],
      [[2], true],
    ])
  })

  it('that outlive it are answered outside of it', async () => {
    const { reads, scope, loads, outside, misses } = open()
    const reading = reads.get(scope, 1)
    scope.isOver = true
    expect([await reading, loads, outside, misses]).toEqual([{ id: -1 }, [], [1], []])
  })

  it('that fail because it has ended are answered outside of it', async () => {
    const { reads, scope, state, outside } = open()
    state.error = new Error('the transaction is closed')
    const reading = reads.get(scope, 1)
    await Promise.resolve()
    scope.isOver = true
    expect([await reading, outside]).toEqual([{ id: -1 }, [1]])
  })

  it('are nested outside of it in the call that waits for them', async () => {
    const { reads, scope, callers } = open()
    const caller = new SourceCall('Bid', {}, [{ rowId: 7 }])
    const [nested, plain] = [caller.run(() => reads.get(scope, 1), 1_000), reads.get(scope, 2)]
    scope.isOver = true
    expect(await Promise.all([nested, plain])).toEqual([{ id: -1 }, { id: -2 }])
    expect(callers).toEqual([[caller], undefined])
  })

  it('fail after the deadline of loads', async () => {
    const { reads, scope, outside, state } = open({ timeoutMs: 5 })
    state.hangs = true
    const reading = Promise.allSettled([reads.get(scope, 1), reads.get(scope, 2)])
    expect(await reading).toMatchObject([
      { status: 'rejected', reason: { code: 'E_LOAD_TIMEOUT' } },
      { status: 'rejected', reason: { code: 'E_LOAD_TIMEOUT' } },
    ])
    expect(outside).toEqual([])
  })

  it('give rows the form of stored ones', async () => {
    const { reads, scope } = open()
    expect(await Promise.all([reads.get(scope, 1), reads.get(scope, 9)])).toStrictEqual([{ id: 1 }, null])
  })

  it('reject an invalid id', async () => {
    const { reads, scope, loads } = open()
    await expect(reads.get(scope, 'a' as unknown as number)).rejects.toThrow(InvalidIdError)
    expect(loads).toEqual([])
  })

  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('are those of the database of the rows (isOwnTransaction: %p)', (isOwn, isServed) => {
    const { reads, scope, state } = open({ isOwn })
    expect([reads.current(), reads.isInTransaction]).toEqual([isServed ? scope : undefined, true])
    state.current = undefined
    expect([reads.current(), reads.isInTransaction]).toEqual([undefined, false])
  })
})
