/** The modules of the page are JavaScript, as browsers load them. */
const load = (): Promise<Record<string, (...input: unknown[]) => unknown>> =>
  import('./page/results.js' as string)

const shape = (query: string, models: readonly string[], count: number, loads: number) => ({
  query,
  models,
  count,
  loads,
  left: 0,
  refused: 0,
})

describe('results on the page', () => {
  it('are none where no client keeps any', async () => {
    const { resultsOf } = await load()
    expect(resultsOf!([{ root: null, models: [{ model: 'Lot', bypassed: [] }] }])).toEqual([])
  })

  it('are summed by all models that they read, those of the most reads first', async () => {
    const { resultsOf } = await load()
    const lots = shape('count()', ['Lot'], 5, 2)
    const bids = shape('findMany()', ['Bid', 'Lot'], 20, 15)
    const written = { count: 4, agoMs: 300 }
    const root = {
      root: 'shop',
      kept: ['Lot', 'Tag'],
      models: [
        { model: 'Lot', results: [lots], written },
        { model: 'Bid', results: [bids] },
      ],
    }
    const endedBy = { model: 'Lot', agoMs: 300 }
    expect(resultsOf!([root])).toEqual([
      {
        root: 'shop',
        faults: [],
        models: [
          { model: 'Lot', isListed: true, written, count: 25, loads: 17, refused: 0 },
          { model: 'Bid', isListed: false, written: undefined, count: 20, loads: 15, refused: 0 },
          { model: 'Tag', isListed: true, written: undefined, count: 0, loads: 0, refused: 0 },
        ],
        queries: [
          { ...bids, endedBy },
          { ...lots, endedBy },
        ],
      },
    ])
  })

  it('say why they do not pay', async () => {
    const { resultsOf } = await load()
    const resultFaults = [
      { kind: 'written_often', model: 'Bid', reads: 1_000, loads: 900, writes: 800 },
      { kind: 'refused', model: 'Lot', query: 'findMany()', loads: 90, refused: 80 },
      { kind: 'unread', model: 'Tag', writes: 70 },
    ]
    expect(resultsOf!([{ root: null, kept: ['Lot'], models: [], resultFaults }])).toMatchObject([
      {
        faults: [
          expect.stringMatching(/^Bid is written too often: 900 of 1.000 results .* written 800 times\.$/),
          expect.stringMatching(/^80 of 90 results of Lot\.findMany\(\) were not stored/),
          'No result reads Tag, which is listed in reads.results and was written 70 times.',
        ],
      },
    ])
  })

  it('have no share without reads', async () => {
    const { shareWithoutSql } = await load()
    expect(shareWithoutSql!({ count: 0, loads: 0 })).toBeNull()
    expect(shareWithoutSql!({ count: 4, loads: 1 })).toBe(0.75)
    expect(shareWithoutSql!({ count: 1, loads: 2 })).toBe(0)
  })
})
