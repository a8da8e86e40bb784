import { turns } from '../../../../../test/support/eventually.js'
import type { CacheContext } from '../context.js'
import { InFlight } from '../in-flight.js'
import { InvalidationClock } from '../invalidation-clock.js'
import { outsiders, SourceCall } from '../load/source-call.js'
import { silentObserver } from '../telemetry/observer.js'
import { callersOf, type Read } from './read.js'
import { ReadCollector } from './read-collector.js'
import type { ReadPath } from './read-path.js'
import { Tick } from './tick.js'

interface Lot {
  readonly id: string
}

/** A collector whose path answers each read with its id. */
function open(toRowId = (id: string) => id.toLowerCase()) {
  const ticks: Read<Lot, string>[][] = []
  const context = {
    model: { keys: { toRowId, snapshot: (id: string) => id } },
    policy: { sharesRows: false },
    runtime: { tick: new Tick(), inFlight: new InFlight() },
    coherence: { clock: new InvalidationClock() },
    telemetry: { observer: silentObserver.forModel('Lot') },
  } as unknown as CacheContext<Lot, string>
  const path = {
    answer: async (reads: Read<Lot, string>[]) => {
      ticks.push(reads)
      for (const { id, others, waiter } of reads)
        for (const each of [waiter, ...(others ?? [])]) each.resolve({ id })
    },
  } as unknown as ReadPath<Lot, string>
  return { collector: new ReadCollector(context, path), ticks }
}

describe('the reads of a tick', () => {
  it('are collected until its end', async () => {
    const { collector } = open()
    expect(collector.isEmpty).toBe(true)
    const reading = collector.get('a')
    expect(collector.isEmpty).toBe(false)
    expect(await reading).toEqual({ id: 'a' })
    expect(collector.isEmpty).toBe(true)
  })

  it('are one for all spellings of an id, and for any number of callers', async () => {
    const { collector, ticks } = open()
    const many = Array.from({ length: 40 }, () => collector.get('A'))
    const rows = await Promise.all([collector.get('a'), ...many, collector.getMany(['a', 'B'])])
    expect(rows.flat().map((row) => row!.id)).toEqual([...Array<string>(42).fill('A'), 'B'])
    expect(ticks.map((reads) => reads.map(({ rowId }) => rowId))).toEqual([['a', 'b']])
  })

  it('take no id for another whose row id it spells', async () => {
    const { collector, ticks } = open((id) => {
      if (id.startsWith('\0')) throw new Error('not an id')
      return `\0${id}`
    })
    const [read, refused] = await Promise.allSettled([collector.get('a'), collector.get('\0a')])
    expect([read.status, refused.status]).toEqual(['fulfilled', 'rejected'])
    expect(ticks[0]).toHaveLength(1)
  })

  it('have a place for each hole of a list', async () => {
    const { collector } = open((id) => id ?? 'none')
    const ids = ['a', 'b']
    delete ids[0]
    expect(await collector.getMany(ids)).toHaveLength(2)
  })

  it('know the calls of sources that wait for them, beside callers that are none', async () => {
    const { collector, ticks } = open()
    const call = new SourceCall('Bid', {}, [])
    const nested = call.run(() => Promise.all([collector.get('a'), collector.get('b')]), 1_000)
    const plain = [collector.get('a'), collector.get('c')]
    await Promise.all([nested, ...plain])
    await turns(1)
    const callers = ticks[0]!.map((read) => [read.rowId, callersOf(read)])
    expect(callers).toEqual([
      ['a', [call, outsiders]],
      ['b', [call]],
      ['c', undefined],
    ])
  })

  it('note no callers if no call of a source waits', async () => {
    const { collector, ticks } = open()
    await collector.getMany(['a', 'b'])
    expect(ticks[0]![0]!.batch.callers).toBeUndefined()
  })
})
