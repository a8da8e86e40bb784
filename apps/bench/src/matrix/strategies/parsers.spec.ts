import { createPrefixes } from '../../codec/candidates/prefixes.ts'
import { buildScenario, SCENARIOS } from '../scenarios.ts'
import { PARSERS, reviveAll, revivePlaces } from './parsers.ts'

describe('what brings dates and decimals back', () => {
  const scenario = buildScenario(SCENARIOS[0]!)
  const rows = [...scenario.rows.values()]
  const texts = rows.map((row) => createPrefixes().encode(row).toString())

  it('gives the rows, wherever it looks', () => {
    expect(texts.map((text) => reviveAll(JSON.parse(text)))).toEqual(rows)
    expect(texts.map((text) => revivePlaces(JSON.parse(text), scenario.places))).toEqual(rows)
  })

  it.each(['json', 'array-json'] as const)('gives the rows in their order: %s', (name) => {
    expect(PARSERS[name](scenario)(texts)).toEqual(rows)
  })
})
