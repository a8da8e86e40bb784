import assert from 'node:assert/strict'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { auctionItem, fundraiser, guestUser } from '../../harness/fixtures/models.ts'
import { createBareJson } from '../codec/candidates.ts'
import type { AllocationCase, Operation } from './allocation-case.ts'
import { openLots, readBarely, readNew, readOne, readTogether, TOGETHER, writeLots } from './counted-lots.ts'
import { hookCases } from './hook-cases.ts'

const alone = (name: string, open: () => Promise<Operation>): AllocationCase => ({
  name,
  group: 'alone',
  per: 1,
  open,
})

const together = (name: string, open: () => Promise<Operation>): AllocationCase => ({
  name: `${name}, ${TOGETHER} at once`,
  group: 'together',
  per: TOGETHER,
  open,
  // A table that grows, or a turn that ends a moment later, costs one or two objects for all of them.
  tolerance: 0.005,
})

/** Reads by where the row comes from, alone in a tick and together. */
const readCases: readonly AllocationCase[] = [
  alone('bare path', readBarely),
  alone('L1 hit, copy', () => readOne(openLots('l1'))),
  alone('L1 hit, shared', () => readOne(openLots('l1Shared'))),
  alone('store hit', () => readOne(openLots('copies'))),
  alone('store hit, shared', () => readOne(openLots('shared'))),
  alone('store hit, no such row', () => readOne(openLots('copies'), 'none-00000000000')),
  // Each run stores another row, and tables of the store grow now and then.
  { ...alone('miss and fill', () => readNew(openLots('copies'), 1)), tolerance: 0.03 },
  together('L1 hit, copy', () => readTogether(openLots('l1'), false)),
  together('L1 hit, shared', () => readTogether(openLots('l1Shared'), false)),
  together('store hit', () => readTogether(openLots('copies'), false)),
  together('store hit, shared', () => readTogether(openLots('shared'), false)),
  together('same row, copies', () => readTogether(openLots('copies'), true)),
  together('same row, shared', () => readTogether(openLots('shared'), true)),
  together('miss and fill', () => readNew(openLots('copies'), TOGETHER)),
]

/** What fencing adds to a write, by how many rows it affects. */
const writeCases: readonly AllocationCase[] = [
  { name: 'fenced write', group: 'write', per: 1, open: () => writeLots(1) },
  {
    name: `fenced write of ${TOGETHER} rows, each`,
    group: 'write',
    per: TOGETHER,
    open: () => writeLots(TOGETHER),
  },
  { name: 'write to no cache', group: 'write', per: 1, open: () => writeLots(0) },
]

const [bareJson] = createBareJson()

/** One row into and out of its payload, beside bare JSON. */
function codecCasesOf(fixture: Fixture): AllocationCase[] {
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

export const allCases: readonly AllocationCase[] = [
  ...readCases,
  ...hookCases,
  ...writeCases,
  ...[guestUser, auctionItem, fundraiser].flatMap(codecCasesOf),
]
