// JavaScript, as the types of this package do not say what its module exports.
import Sequencer from '@jest/test-sequencer'

/** Suites that take longest, or wait longest. Begun last, one of them would run alone while other processors rest. */
const longest = [
  'e2e/bench-suites',
  'e2e/page',
  'e2e/site',
  'e2e/inspector',
  'integration/differential',
  'integration/unavailable-valkey',
  'allocations',
  'integration/valkey-store',
  'package/adoption',
  'explorer/explorer',
  'types/types',
  'wire/codec.property',
  'integration/overloaded-database',
  'integration/cluster',
  'integration/observe/attribution',
]

/** Jest knows how long suites take once they have run here. Before, it goes by the sizes of files, and by these names first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    // eslint-disable-next-line unicorn/no-array-sort -- Jest's, which is not that of an array
    const sorted = [...super.sort(tests)]
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted
    const rank = ({ path }) => {
      const at = longest.findIndex((part) => path.includes(part))
      return at < 0 ? longest.length : at
    }
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
