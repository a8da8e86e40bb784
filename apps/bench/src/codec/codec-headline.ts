import type { Section } from '../report/section.ts'
import type { CodecMeasurements } from './codec-measurements.ts'

const ROWS: readonly (readonly [name: string, what: string])[] = [
  ['decodeVsParse', 'decode, beside JSON.parse, which brings no dates and decimals back'],
  ['decodeVsV1', 'decode, beside a reviver that looks for prefixes'],
  ['encodeVsStringify', 'encode, beside JSON.stringify'],
  ['encodeVsStringifier', 'encode, beside fast-json-stringify'],
]

export function codecHeadline({ fixtures, summary }: CodecMeasurements): Section {
  return {
    title: `One typed row to stored text and back, over ${fixtures.length} models: times as fast`,
    table: {
      head: ['', 'median', 'worst model'],
      rows: ROWS.flatMap(([name, what]) => {
        const ratio = summary[name]
        return ratio ? [[what, ratio.median.toFixed(1), ratio.min.toFixed(1)]] : []
      }),
    },
  }
}
