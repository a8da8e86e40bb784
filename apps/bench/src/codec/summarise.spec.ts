import type { FixtureResult } from './codec-measurements.ts'
import { summarise } from './summarise.ts'

const fixture = (decode: Record<string, number>, encode: Record<string, number>): FixtureResult => ({
  name: 'a',
  format: 'record',
  rows: 1,
  bytes: {},
  decode,
  encode,
  arrival: {},
  spread: { decode: {}, encode: {} },
})

describe('summarise', () => {
  it('gives how many times as fast the default is, in the middle and at worst', () => {
    const encode = { default: 1, 'fast-json-stringify': 2, v1: 8 }
    const summary = summarise([
      fixture({ default: 100, 'JSON.parse': 300 }, encode),
      fixture({ default: 100, 'JSON.parse': 90 }, encode),
      fixture({ default: 100, 'JSON.parse': 200 }, encode),
    ])
    expect(summary['decodeVsParse']).toEqual({ median: 2, min: 0.9 })
    expect(summary['encodeVsStringifier']).toEqual({ median: 2, min: 2 })
    expect(summary['encodeVsV1']).toEqual({ median: 8, min: 8 })
  })
})
