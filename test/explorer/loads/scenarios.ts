import type { Scenario } from './scenario.ts'

/** Each is explored to its end. */
export const scenarios = {
  chain: {
    name: 'a chain through two caches, with one permit',
    needs: { a1: ['b1'], b1: ['a2'], a2: ['b2'], b2: [], a3: [] },
    reads: [['a1'], ['b2'], ['a2', 'a3']],
    permits: 1,
  },
  ring: {
    name: 'three caches that read each other, with two permits',
    needs: { a1: ['b2'], a2: [], b1: ['c2'], b2: [], c1: ['a2'], c2: [] },
    reads: [['a1'], ['b1'], ['c1']],
    permits: 2,
  },
  crosswise: {
    name: 'rows of two calls that need each other crosswise',
    needs: { a1: ['b1'], a2: [], b1: [], b2: ['a2'] },
    reads: [['a1', 'a2'], ['b1', 'b2'], ['a2'], ['b1']],
    permits: 4,
  },
  through: {
    name: 'the same through a third cache',
    needs: { a1: ['c1'], a2: [], b1: [], b2: ['a2'], c1: ['b1'] },
    reads: [['a1', 'a2'], ['b1', 'b2'], ['c1'], ['a2']],
    permits: 4,
  },
  shared: {
    name: 'a row that needs another one of its own call',
    needs: { a1: ['b1'], a2: [], b1: ['a2'] },
    reads: [['a1', 'a2'], ['b1'], ['a2'], ['a1']],
    permits: 1,
  },
  together: {
    name: 'two calls that need the same row, which needs one of them',
    needs: { a1: ['c1'], a2: [], b1: ['c1'], c1: ['a2'] },
    reads: [['a1', 'a2'], ['b1'], ['c1']],
    permits: 4,
  },
  staircase: {
    name: 'rows of one call that need each other in turn',
    needs: { a1: ['b1'], a2: ['b2'], a3: [], b1: ['a2'], b2: ['a3'] },
    reads: [['a1', 'a2', 'a3'], ['b1'], ['b2']],
    permits: 1,
  },
  circle: {
    name: 'rows of one call that lead to each other in a circle',
    needs: { a1: ['b1'], a2: ['b2'], b1: ['a2'], b2: ['a1'] },
    reads: [['a1', 'a2']],
    permits: 2,
  },
  itself: {
    name: 'rows that need themselves',
    needs: { a1: ['b1'], b1: ['a1'], a2: [] },
    reads: [['a1'], ['b1'], ['a2']],
    permits: 2,
  },
  hanging: {
    name: 'sources of one cache that hang',
    needs: { a1: [], a2: [], a3: [], b1: [] },
    reads: [['a1'], ['a2'], ['a3'], ['b1']],
    permits: 2,
    faults: { 'hanging source': 2 },
  },
  hangingBelow: {
    name: 'a nested source that hangs',
    needs: { a1: ['b1'], b1: [], c1: [] },
    reads: [['a1'], ['b1'], ['c1']],
    permits: 3,
    faults: { 'hanging source': 1 },
  },
  outlived: {
    name: 'a nested load that others wait for, too, while deadlines pass',
    needs: { a1: ['b1'], b1: ['c1'], c1: [], d1: ['b1'] },
    reads: [['a1'], ['b1'], ['d1']],
    permits: 1,
    faults: { 'early deadline': 2 },
  },
} satisfies Record<string, Scenario>

export type ScenarioKey = keyof typeof scenarios
