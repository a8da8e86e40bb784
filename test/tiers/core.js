import { coreTests } from './tiers.ts'

process.env.DATABASES ??= 'postgresql'

/** `npm test`. */
export default coreTests
