import type { ParserName } from './parsing.ts'
import type { Strategy } from './strategy.ts'

const parsing = (name: ParserName | 'baseline', note: string, parser = name as ParserName): Strategy => ({
  name,
  note,
  needsSimdjson: parser.includes('simdjson'),
  open: async (environment) => (await import('./parsing.ts')).openParsing(environment, parser),
})

const lru = (name: string, parser: ParserName, note: string): Strategy => ({
  name,
  note: `${note}; returns the same object to all callers, and nothing guards it against changes`,
  needsSimdjson: parser.includes('simdjson'),
  open: async (environment) => (await import('./parsing.ts')).openLru(environment, parser),
})

const readPath = (name: string, l1: boolean, rows: 'copies' | 'shared', note: string): Strategy => ({
  name,
  note,
  needsSimdjson: false,
  open: async (environment) => (await import('./read-path.ts')).openReadPath(environment, { l1, rows }),
})

/** In the order of the published table; ours are last. */
export const allStrategies: readonly Strategy[] = [
  parsing(
    'baseline',
    'JSON.parse of each value, with a reviver that looks for prefixes in every string',
    'json',
  ),
  parsing('simdjson-traversal', 'simdjson.parse of each value, then a walk over all of it for prefixes'),
  parsing('simdjson-paths', 'simdjson.parse of each value, then a visit of the declared dates and decimals'),
  parsing('array-json', 'the values of each reply joined to one array, one JSON.parse with the reviver'),
  parsing('array-simdjson-traversal', 'the same array, simdjson.parse and the walk'),
  parsing('array-simdjson-paths', 'the same array, simdjson.parse and the declared places'),
  lru('lru', 'json', 'lru-cache of restored rows in front of the baseline'),
  lru('lru-simdjson-traversal', 'simdjson-traversal', 'lru-cache in front of simdjson-traversal'),
  lru('lru-simdjson-paths', 'simdjson-paths', 'lru-cache in front of simdjson-paths'),
  readPath(
    'model-cache',
    false,
    'copies',
    'this library without L1: record format, decoded in slices of 4 ms',
  ),
  readPath('model-cache-l1', true, 'copies', 'this library with L1; every caller gets a copy'),
  readPath(
    'model-cache-l1-shared',
    true,
    'shared',
    'this library with L1 and `rows: "shared"`: one frozen row for all',
  ),
]
