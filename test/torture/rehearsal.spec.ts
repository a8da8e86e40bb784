import { rehearse, textOfRehearsals, unnoticedIn, untilNoticed } from './rehearsal.js'

describe('a rehearsal', () => {
  it('tries each defect in turn, and says after which time it was noticed', async () => {
    const tried: string[] = []
    const rehearsals = await rehearse('phase', ['fence left out', 'stale entry'], async (defect) => {
      tried.push(defect)
      return defect === 'stale entry' ? 1.25 : undefined
    })
    expect(tried).toEqual(['fence left out', 'stale entry'])
    expect(textOfRehearsals(rehearsals)).toBe('NOT fence left out, stale entry after 1.3 s')
    expect(unnoticedIn('phase', rehearsals)).toEqual([
      'phase: nothing notices the defect "fence left out", so it shows nothing',
    ])
  })

  it('looks until something is noticed', async () => {
    let looks = 0
    expect(await untilNoticed(async () => ++looks === 3)).toBeGreaterThanOrEqual(0)
    expect(looks).toBe(3)
  })

  it('is none in a result from before there were any', () => {
    expect(textOfRehearsals(undefined)).toBe('none')
  })
})
