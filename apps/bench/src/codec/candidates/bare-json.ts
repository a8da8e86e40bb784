import fastJsonStringify from 'fast-json-stringify'
import type { Fixture } from '../fixtures/fixture.ts'
import { mapValues } from '../map-values.ts'
import { textCandidate, type Candidate } from './candidate.ts'
import { jsonSchemaOf } from './json-schema.ts'

/** JSON as it comes: text to plain values, rows to text; dates and decimals write themselves and stay strings. */
export const createBareJson = (): Candidate[] => [
  textCandidate('JSON.parse', JSON.stringify, JSON.parse, { ...plain, timed: ['decode'] }),
  textCandidate('JSON.stringify', JSON.stringify, JSON.parse, { ...plain, timed: ['encode'] }),
]

/** fast-json-stringify on its own, told by hand what the rows are: nothing is checked before it writes. */
export function createFastJsonStringify(fixture: Fixture): Candidate {
  const write = fastJsonStringify(jsonSchemaOf(fixture.compile('json').plan))
  return textCandidate('fast-json-stringify-unchecked', write, JSON.parse, { ...plain, timed: ['encode'] })
}

/** JSON.stringify refuses bigints, and writes bytes as an object: given as strings they are taken out of the race. */
const plain: Partial<Candidate> = {
  take: (row) =>
    mapValues(row, (value) => {
      if (typeof value === 'bigint') return value.toString()
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
    }),
  expected: (row) => JSON.parse(JSON.stringify(plain.take!(row))) as unknown,
  note: 'brings nothing back: dates, decimals, bigints and bytes stay strings; the latter two are made before timing',
}
