import { eventuallyEqual } from '../../../../../test/support/eventually.js'
import { emptySnapshot } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { InFlight } from '../in-flight.js'
import { newBatch, newRead, noEpochs, type Read } from '../read/read.js'
import { newLoad } from './load.js'
import { LoadedRows, type LoadedRowsParts } from './loaded-rows.js'

interface Lot {
  readonly id: string
}
const readOf = (id: string) => newRead<Lot, string>(id, id, 0, newBatch())

/** Loaded rows that say which reads have gone back to the store. */
function open() {
  const gone: string[][] = []
  const inFlight = new InFlight()
  const context = {
    runtime: { inFlight },
    telemetry: { observer: { reads: () => {} } },
  } as unknown as CacheContext<Lot, string>
  const readAgain = async (reads: readonly Read<Lot, string>[]) => void gone.push(reads.map(({ id }) => id))
  const delivery = { deliver: () => {} }
  const loaded = new LoadedRows(context, { readAgain, delivery } as unknown as LoadedRowsParts<Lot, string>)
  return { loaded, gone, inFlight }
}
/** All that waits for no timer, before the event loop turns. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

describe('reads that wait for a load of another process', () => {
  it('go back to the store together, after a pause', async () => {
    const { gone, loaded } = open()
    const reads = [readOf('a'), readOf('b')]
    loaded.waiting(
      reads.map((read) => newLoad(read)),
      'leased',
    )
    await microtasks()
    expect(gone).toEqual([])
    await eventuallyEqual(() => gone, [['a', 'b']])
    expect(reads.map(({ waits }) => waits)).toEqual([1, 1])
  })

  it('go back at once if it has ended', async () => {
    const { gone, loaded } = open()
    loaded.waiting([newLoad(readOf('a'))], 'filled')
    await microtasks()
    expect(gone).toEqual([['a']])
  })
})

describe('a row past its ttl whose load fails', () => {
  const error = new Error('the database has failed')
  const epochs = { epoch: 'e', existence: 'x' }

  /** How a read ends whose row is still stored: with the row, or with the error. */
  async function endOf(known: Read<Lot, string>['epochs'], epoch: string | null): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const inFlight = new InFlight()
    const context = {
      model: { source: {}, store: { getMany: async () => ['stored'] } },
      coherence: { register: { read: async () => ({ ...emptySnapshot, epoch }) } },
      runtime: { inFlight },
      telemetry: { observer: { reads: () => {} } },
    } as unknown as CacheContext<Lot, string>
    const delivery = {
      deliver: (_: unknown, row: Lot) => resolve(row),
      fail: (_: unknown, reason: unknown) => resolve(reason),
    }
    const parts = { delivery, filler: { release: () => {} } } as unknown as LoadedRowsParts<Lot, string>
    const read = Object.assign(readOf('a'), { epochs: known })
    new LoadedRows(context, parts).failed(newLoad(read, true, { row: { id: 'a' }, value: 'stored' }), error)
    return promise
  }

  it('is served under the same epoch', async () => {
    expect(await endOf(epochs, 'e')).toEqual({ id: 'a' })
  })

  it.each([
    ['another epoch', epochs, 'f'],
    ['a fence of all rows', epochs, null],
    ['an epoch that the process did not know', noEpochs, 'e'],
    ['a fence of all rows, to a process that did not know the epoch', noEpochs, null],
  ])('is not served under %s', async (_, known, epoch) => {
    expect(await endOf(known, epoch)).toBe(error)
  })
})
