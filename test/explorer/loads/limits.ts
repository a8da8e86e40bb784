import type { Variation } from './variation.ts'

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Variation[] = [
  {
    name: 'a library that loses the asynchronous context of nested reads',
    rules: { contextIsKept: false },
    scenario: 'ring',
    breaches: ['stuck'],
  },
]
