import { buildScenario, SCENARIOS } from './scenarios.ts'

describe.each(SCENARIOS)('the $name scenario', (scenario) => {
  const built = buildScenario(scenario)

  it('has rows of as many different fields', () => {
    for (const row of built.rows.values()) expect(Object.keys(row)).toHaveLength(scenario.fields)
  })

  it('has different rows for each user, and as many others', () => {
    const wanted = built.idsByUser.flat()
    expect(wanted).toEqual(built.wanted)
    expect(new Set([...wanted, ...built.others]).size).toBe(2 * scenario.users * scenario.items)
    expect(built.rows.size).toBe(2 * scenario.users * scenario.items)
  })

  it('has a quarter to two fifths of dates and decimals', () => {
    const share = built.places.length / scenario.fields
    expect(share).toBeGreaterThanOrEqual(0.25)
    expect(share).toBeLessThanOrEqual(0.4)
  })
})
