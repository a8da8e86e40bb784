import { allTests } from './test/tiers/tiers.ts'

/** Of the specs that are named, whatever tier they belong to. */
export default allTests
