import assert from 'node:assert/strict'
import { createBareJson } from '../../codec/candidates/bare-json.ts'
import type { Fixture } from '../../codec/fixtures/fixture.ts'
import { fundraiser } from '../../codec/fixtures/fundraiser.ts'
import { auctionItem } from '../../codec/fixtures/lots.ts'
import { guestUser } from '../../codec/fixtures/people.ts'
import type { AllocationCase } from './allocation-case.ts'

const [bareJson] = createBareJson()

/** One row into and out of its text, beside bare JSON: a small row, a middle one and a large one. */
export const codecCases: readonly AllocationCase[] = [guestUser, auctionItem, fundraiser].flatMap(casesOf)

function casesOf(fixture: Fixture): AllocationCase[] {
  const [row] = fixture.rows
  const codec = fixture.compile()
  const text = codec.encode(row)
  const plain = bareJson!.take(row)
  const json = JSON.stringify(plain)
  const codecCase = (name: string, run: () => unknown, expected?: unknown): AllocationCase => ({
    name: `${fixture.name}, ${name}`,
    group: 'codec',
    per: 1,
    open: async () => {
      if (expected !== undefined) assert.deepEqual(run(), expected)
      return { run }
    },
  })
  return [
    codecCase('decode', () => codec.decode(text), row),
    codecCase('JSON.parse', () => JSON.parse(json), JSON.parse(json)),
    codecCase('encode', () => codec.encode(row), text),
    codecCase('JSON.stringify', () => JSON.stringify(plain), json),
    codecCase('copy', () => codec.clone(row), row),
  ]
}
