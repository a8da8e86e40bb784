import { jest } from '@jest/globals'

/** The modules of the page are JavaScript, as browsers load them. */
const { createSamples } = (await import('./page/samples.js' as string)) as { createSamples(): Samples }
const { createHistory } = (await import('./page/charts/history.js' as string)) as {
  createHistory(seconds: number): History
}

interface Entry {
  readonly at: number
  readonly lag?: unknown
  readonly answered?: unknown
  readonly decoding?: unknown
}

interface History {
  readonly entries: readonly Entry[]
  add(...entries: readonly Entry[]): void
  fillGaps(entries: readonly Entry[], apartMs: number): void
  data(now: number, ...getters: readonly ((entry: Entry) => unknown)[]): readonly unknown[][]
}

interface Samples {
  add(report: object): void
  addPast(history: object): void
  of(id: string): History | undefined
}

const now = 1_000_000

const sample = (agoMs: number, changes: object = {}) => ({
  agoMs,
  seconds: 2,
  lagMs: { p50: 1, p99: 5 },
  answered: { tick: 0, l1: 0, store: 3, source: 1 },
  decodeMs: { Lot: 4 },
  ...changes,
})

const processOf = (id: string) => ({
  id,
  eventLoop: { lagMs: { p50: 2, p99: 7 } },
  caches: [
    {
      name: 'Lot',
      figures: { recent: { seconds: 2, answered: { tick: 0, l1: 0, store: 1, source: 1 }, decodeMs: 6 } },
    },
  ],
})

describe('the samples of the charts', () => {
  afterEach(() => jest.restoreAllMocks())

  it('begin with what the processes remember, together and each', () => {
    jest.spyOn(Date, 'now').mockReturnValue(now)
    const samples = createSamples()
    samples.add({ processes: [processOf('a'), processOf('b')] })
    samples.addPast({
      processes: [
        { id: 'a', samples: [sample(4_100), sample(2_100)] },
        {
          id: 'b',
          samples: [sample(1_900, { lagMs: { p50: 3, p99: 4 }, decodeMs: { Lot: 2, User: 6 } }), sample(100)],
        },
      ],
    })
    expect(samples.of('')!.entries).toEqual([
      {
        at: now - 4_000,
        lag: { p50: 1, p99: 5 },
        answered: { tick: 0, l1: 0, store: 0.75, source: 0.25 },
        decoding: { Lot: 2 },
      },
      {
        at: now - 2_000,
        lag: { p50: 3, p99: 5 },
        answered: { tick: 0, l1: 0, store: 0.75, source: 0.25 },
        decoding: { Lot: 3, User: 3 },
      },
      {
        at: now,
        lag: { p50: 2, p99: 7 },
        answered: { tick: 0, l1: 0, store: 0.5, source: 0.5 },
        decoding: { Lot: 6 },
      },
    ])
    expect(samples.of('b')!.entries.map(({ at }) => at)).toEqual([now - 2_000, now])
  })

  it('may have their past before the first report', () => {
    jest.spyOn(Date, 'now').mockReturnValue(now)
    const samples = createSamples()
    expect(samples.of('')).toBeUndefined()
    samples.addPast({ processes: [{ id: 'a', samples: [] }] })
    expect(samples.of('')).toBeUndefined()
    samples.addPast({ processes: [{ id: 'a', samples: [sample(2_000, { lagMs: null })] }] })
    expect(samples.of('a')!.entries).toMatchObject([{ at: now - 2_000, lag: null }])
  })
})

describe('a history', () => {
  it('is filled before its first entry and in its gaps, and nowhere else', () => {
    const history = createHistory(60)
    history.add({ at: 10_000 }, { at: 30_000 })
    history.fillGaps(
      [5_000, 9_000, 12_000, 20_000, 29_500, 31_000].map((at) => ({ at })),
      2_000,
    )
    expect(history.entries.map(({ at }) => at)).toEqual([5_000, 10_000, 12_000, 20_000, 30_000])
  })

  it('keeps its time', () => {
    const history = createHistory(60)
    history.fillGaps([{ at: 0 }, { at: 20_000 }], 2_000)
    history.add({ at: 70_000 })
    expect(history.entries.map(({ at }) => at)).toEqual([20_000, 70_000])
  })

  it('draws nothing between entries that are far apart', () => {
    const history = createHistory(60)
    history.add(...[1, 3, 10, 17.1].map((second) => ({ at: second * 1_000, lag: second })))
    const [times, lags] = history.data(17_100, ({ lag }) => lag)
    expect(lags).toEqual([1, 3, 10, null, 17.1])
    expect(times!.map((time) => Math.round(time as number))).toEqual([-16, -14, -7, -4, 0])
  })
})
