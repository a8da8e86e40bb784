import { defineTorture, untilNoticed } from './define-torture.ts'

const options = { quick: true, only: [] }

describe('a torture', () => {
  const tried: string[] = []
  const torture = (noticedAfter: number | undefined) =>
    defineTorture({
      name: 'example',
      question: 'Is anything stale?',
      packages: [],
      full: {},
      quick: {},
      async workload({ rehearse }) {
        await rehearse('phase', ['fence left out', 'stale entry'], async (defect) => {
          tried.push(defect)
          return defect === 'stale entry' ? 1.25 : noticedAfter
        })
        return { stale: 0 }
      },
      never: ({ stale }) => ({ 'stale reads': stale, 'lost writes': 0 }),
      problems: ({ stale }) => (stale > 5 ? ['more than a few'] : []),
      columns: () => [],
      conclusion: () => '',
      figures: () => ({}),
    })

  it('tries each defect in turn, and shows after which time it was noticed', async () => {
    const suite = torture(2)
    const measured = await suite.measure(options)
    expect(tried.splice(0)).toEqual(['fence left out', 'stale entry'])
    expect(suite.columns(measured)[0]!.table!.rows).toEqual([
      ['phase', 'fence left out', '2'],
      ['phase', 'stale entry', '1.25'],
    ])
    expect(suite.problems(measured, options)).toEqual([])
  })

  it('fails if a defect was not noticed, whatever it finds', async () => {
    const suite = torture(undefined)
    const measured = await suite.measure(options)
    expect(suite.problems(measured, options)).toEqual([
      'phase: nothing notices the defect "fence left out", so it shows nothing',
    ])
    expect(suite.columns(measured)[0]!.table!.rows[0]).toEqual(['phase', 'fence left out', 'not noticed'])
  })

  it('fails if what never may happen did, and for its own reasons', async () => {
    const suite = torture(1)
    expect(suite.problems({ stale: 7 }, options)).toEqual(['7 stale reads', 'more than a few'])
  })

  it('shows results from before there were rehearsals', async () => {
    expect(torture(1).columns({ stale: 0 })).toEqual([])
  })
})

it('a rehearsal looks until something is noticed', async () => {
  let looks = 0
  expect(await untilNoticed(async () => ++looks === 3)).toBeGreaterThanOrEqual(0)
  expect(looks).toBe(3)
})
