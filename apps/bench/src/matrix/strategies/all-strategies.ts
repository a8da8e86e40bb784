import type { ParserName } from './parsers.ts'
import type { Strategy } from './strategy.ts'

/** What is loaded is what the strategy needs: of the others nothing is in the process. */
const parsing = (name: string, parser: ParserName, note: string): Strategy => ({
  name,
  note,
  hasMemory: false,
  needsSimdjson: parser.includes('simdjson'),
  open: async (environment) => (await import('./parsing.ts')).openParsing(environment, parser),
})

const lru = (name: string, parser: ParserName, note: string): Strategy => ({
  name,
  note: `${note}; what it holds is handed out as it is, the same object to everybody, and nothing guards it against changes`,
  hasMemory: true,
  needsSimdjson: parser.includes('simdjson'),
  open: async (environment) => (await import('./parsing.ts')).openLru(environment, parser),
})

const readPath = (name: string, l1: boolean, rows: 'copies' | 'shared', note: string): Strategy => ({
  name,
  note,
  hasMemory: l1,
  needsSimdjson: false,
  open: async (environment) => (await import('./model-cache.ts')).openReadPath(environment, { l1, rows }),
})

/** In the order of the published table; ours are last. */
export const allStrategies: readonly Strategy[] = [
  parsing(
    'baseline',
    'json',
    'JSON.parse of each value, with a reviver that looks for prefixes in every string',
  ),
  parsing(
    'simdjson-traversal',
    'simdjson-traversal',
    'simdjson.parse of each value, then a walk over all of it that looks for prefixes',
  ),
  parsing(
    'simdjson-paths',
    'simdjson-paths',
    'simdjson.parse of each value, then a visit of the declared dates and decimals',
  ),
  parsing(
    'array-json',
    'array-json',
    'the values of each reply joined to one array, one JSON.parse with the reviver',
  ),
  parsing(
    'array-simdjson-traversal',
    'array-simdjson-traversal',
    'the same array, simdjson.parse and the walk',
  ),
  parsing(
    'array-simdjson-paths',
    'array-simdjson-paths',
    'the same array, simdjson.parse and the declared places',
  ),
  lru('lru', 'json', 'lru-cache of revived rows in front of the baseline'),
  lru('lru-simdjson-traversal', 'simdjson-traversal', 'lru-cache in front of simdjson-traversal'),
  lru('lru-simdjson-paths', 'simdjson-paths', 'lru-cache in front of simdjson-paths'),
  readPath(
    'model-cache',
    false,
    'copies',
    'this library without L1: record format, decoded in slices of 4 ms',
  ),
  readPath('model-cache-l1', true, 'copies', 'this library with L1; every caller is given a copy of its own'),
  readPath(
    'model-cache-l1-shared',
    true,
    'shared',
    'this library with L1 and `rows: "shared"`: all are given the one row, deeply frozen',
  ),
]
