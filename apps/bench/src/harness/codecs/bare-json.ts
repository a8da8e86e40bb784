import { mapValues, PARSER, textCandidate, type Candidate } from './candidate.ts'

/** JSON.stringify refuses bigints and writes bytes as an object, so both are made strings before timing. */
export const plain: Partial<Candidate> = {
  take: (row) =>
    mapValues(row, (value) => {
      if (typeof value === 'bigint') return value.toString()
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
    }),
  expected: (row) => JSON.parse(JSON.stringify(plain.take!(row))) as unknown,
  note: 'restores nothing: dates, decimals, bigints and bytes stay strings; the latter two are made before timing',
}

export const createBareJson = (): Candidate[] => [
  textCandidate('JSON.parse', JSON.stringify, JSON.parse, { ...plain, timed: PARSER }),
  textCandidate('JSON.stringify', JSON.stringify, JSON.parse, { ...plain, timed: ['encode'] }),
]
