// JavaScript, as the types of this package do not say what its module exports.
import Sequencer from '@jest/test-sequencer'

/** Suites that take longest, or wait longest. Begun last, one of them would run alone while other processors rest. */
const longest = [
  'e2e/inspector.spec',
  'e2e/page',
  'integration/differential/differential',
  'integration/unavailable-valkey',
  'integration/shutdown',
  'integration/valkey-store',
  'types/types',
  'e2e/prometheus',
  'integration/cluster/sentinel',
  'integration/cluster/cluster',
  'integration/follow/statements',
  'integration/follow/takeover',
  'integration/differential/reads/reads',
  'e2e/embedded',
  'integration/doctor/valkey',
  'integration/doctor/postgres',
  'integration/lookups/through',
  'explorer/catalogue',
  'integration/overloaded-database',
  'explorer/explorer',
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
