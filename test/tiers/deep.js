import { deepTests } from './tiers.ts'

/** `npm run test:deep`. */
export default deepTests
