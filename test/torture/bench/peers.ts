/** The caches of others that torture takes of the bench, for whose packages `npm ci` of the root is not enough. */
export * from '../../../apps/bench/src/harness/peers.ts'
