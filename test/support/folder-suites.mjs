// JavaScript, as the types of this package do not say what its module exports.
import { dirname } from 'node:path'
import Sequencer from '@jest/test-sequencer'
import { specsOf, suiteOf } from './folder-specs.ts'

/** Suites that take longest, or wait longest. Begun last, one of them would run alone while other processors rest. */
const longest = [
  'model-cache/src/folder',
  'e2e/folder',
  'integration/follow/',
  'integration/folder',
  'integration/doctor/',
  'integration/differential/folder',
  'integration/lookups/',
  'integration/cluster/',
  'types/types',
  'explorer/',
  'integration/consistency/',
]

/**
 * Runs the specs of a folder as one suite if all of them are chosen, or it alone; otherwise each that is chosen runs by itself. Jest knows
 * how long suites take once they have run here; before, it goes by the sizes of files, and by the names above first.
 */
export default class FolderSuites extends Sequencer {
  sort(tests) {
    const chosen = new Set(tests.map(({ path }) => path))
    const isWhole = (suite) => {
      const specs = specsOf(dirname(suite))
      const count = specs.filter((spec) => chosen.has(spec)).length
      return chosen.has(suite) && (count === 0 || count === specs.length)
    }
    const suites = tests.filter(({ path }) => {
      const suite = suiteOf(path)
      return suite === undefined || isWhole(suite) === (suite === path)
    })
    // eslint-disable-next-line unicorn/no-array-sort -- Jest's, which is not that of an array
    const sorted = [...super.sort(suites)]
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted
    const rank = ({ path }) => {
      const at = longest.findIndex((part) => path.includes(part))
      return at < 0 ? longest.length : at
    }
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
