import type { AllocationCase, Operation } from './allocation-case.ts'
import { openLots, readBarely, readNew, readOne, readTogether, TOGETHER } from './counted-lots.ts'

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
  // Where asking takes more than a millisecond, by the clock, the answers wait for a turn more, which costs some objects for all.
  tolerance: 0.03,
})

/** Reads by where the row comes from, alone in a tick and together. */
export const readCases: readonly AllocationCase[] = [
  alone('bare path', readBarely),
  alone('L1 hit, copy', () => readOne(openLots('l1'))),
  alone('L1 hit, shared', () => readOne(openLots('l1Shared'))),
  alone('store hit', () => readOne(openLots('copies'))),
  alone('store hit, shared', () => readOne(openLots('shared'))),
  alone('store hit, no such row', () => readOne(openLots('copies'), 'none-00000000000')),
  // Each run stores another row, and tables of the store grow every now and then.
  { ...alone('miss and fill', () => readNew(openLots('copies'), 1)), tolerance: 0.03 },
  together('L1 hit, copy', () => readTogether(openLots('l1'), false)),
  together('L1 hit, shared', () => readTogether(openLots('l1Shared'), false)),
  together('store hit', () => readTogether(openLots('copies'), false)),
  together('store hit, shared', () => readTogether(openLots('shared'), false)),
  together('same row, copies', () => readTogether(openLots('copies'), true)),
  together('same row, shared', () => readTogether(openLots('shared'), true)),
  together('miss and fill', () => readNew(openLots('copies'), TOGETHER)),
]
