import { createPrefixes } from '../codec/candidates/prefixes.ts'
import type { MatrixMeasurements } from './matrix-measurements.ts'
import { buildScenario, SCENARIOS, type Scenario } from './scenarios.ts'

/** Reads of a storm, and the mean length of a stored text. */
export function aboutScenarios(scenarios: readonly Scenario[]): MatrixMeasurements['scenarios'] {
  return scenarios.map((scenario) => {
    const texts = textsOf(scenario)
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    return {
      ...scenario,
      reads: scenario.users * scenario.items,
      bytesPerRow: Math.round(bytes / texts.length),
    }
  })
}

/** How often JSON.parse calls a reviver for the values of one heavy storm. */
export function countReviverCalls(): number {
  let calls = 0
  for (const text of textsOf(SCENARIOS.find(({ name }) => name === 'heavy')!)) {
    JSON.parse(text, (_key, value: unknown) => {
      calls++
      return value
    })
  }
  return calls
}

/** Those that a storm reads, as the baseline stores them. */
function textsOf(scenario: Scenario): string[] {
  const { asked, rows } = buildScenario(scenario)
  const { encode } = createPrefixes()
  return asked.map((id) => encode(rows.get(id)).toString())
}
