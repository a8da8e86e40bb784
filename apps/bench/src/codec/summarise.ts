import { median } from '../measure/statistics.ts'
import type { Operation } from './candidates/candidate.ts'
import type { FixtureResult, SpeedUp } from './codec-measurements.ts'

const COMPARISONS: readonly [name: string, operation: Operation, against: string][] = [
  ['decodeVsParse', 'decode', 'JSON.parse'],
  ['decodeVsV1', 'decode', 'v1'],
  ['decodeVsTrie', 'decode', 'json-trie'],
  ['encodeVsStringifier', 'encode', 'fast-json-stringify'],
  ['encodeVsV1', 'encode', 'v1'],
  // Beside the five that the project holds itself to: against rivals that check nothing.
  ['decodeVsUncheckedTrie', 'decode', 'json-trie-unchecked'],
  ['encodeVsUncheckedStringifier', 'encode', 'fast-json-stringify-unchecked'],
  ['encodeVsStringify', 'encode', 'JSON.stringify'],
]

/** How many times as fast the default codec is as others: above 1 it is faster. */
export function summarise(fixtures: readonly FixtureResult[]): Record<string, SpeedUp> {
  return Object.fromEntries(
    COMPARISONS.map(([name, operation, against]) => {
      const ratios = fixtures.map((fixture) => fixture[operation][against]! / fixture[operation]['default']!)
      return [name, { median: rounded(median(ratios)), min: rounded(Math.min(...ratios)) }]
    }),
  )
}

const rounded = (ratio: number): number => Math.round(ratio * 1000) / 1000
