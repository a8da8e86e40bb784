import { furtherTests } from './tiers.ts'

process.env.DATABASES ??= '-postgresql'

/** `npm run test:all`: what `npm test` leaves out. */
export default furtherTests
