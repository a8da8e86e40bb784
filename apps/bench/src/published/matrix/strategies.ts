import { parsing } from './parsing.ts'
import { readPath } from './read-path.ts'
import type { Strategy } from './strategy.ts'

/** In the order of the published table; ours are last. */
export const allStrategies: readonly Strategy[] = [
  parsing(
    'baseline',
    'JSON.parse of each value, with a reviver that looks for prefixes in every string',
    'json',
  ),
  parsing(
    'simdjson-traversal',
    'simdjson.parse of each value, then a walk over all of it for prefixes',
    'simdjson-traversal',
  ),
  parsing(
    'simdjson-paths',
    'simdjson.parse of each value, then a visit of the declared dates and decimals',
    'simdjson-paths',
  ),
  parsing(
    'array-json',
    'the values of each reply joined to one array, one JSON.parse with the reviver',
    'array-json',
  ),
  parsing(
    'array-simdjson-traversal',
    'the same array, simdjson.parse and the walk',
    'array-simdjson-traversal',
  ),
  parsing(
    'array-simdjson-paths',
    'the same array, simdjson.parse and the declared places',
    'array-simdjson-paths',
  ),
  parsing('lru', 'lru-cache of restored rows in front of the baseline', 'json', true),
  parsing('lru-simdjson-traversal', 'lru-cache in front of simdjson-traversal', 'simdjson-traversal', true),
  parsing('lru-simdjson-paths', 'lru-cache in front of simdjson-paths', 'simdjson-paths', true),
  readPath(
    'model-cache',
    'this library without L1: record format, decoded in slices of 4 ms',
    false,
    'copies',
  ),
  readPath('model-cache-l1', 'this library with L1; every caller gets a copy', true, 'copies'),
  readPath(
    'model-cache-l1-shared',
    'this library with L1 and `rows: "shared"`: one frozen row for all',
    true,
    'shared',
  ),
]
