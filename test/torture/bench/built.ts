/** What torture takes of the bench once library and demo are built: servers, rows, caches of others. */
export { createCountingSource } from '../../../apps/bench/src/harness/fixtures/counting-source.ts'
export { defineLots, sourceOf } from '../../../apps/bench/src/harness/fixtures/lot-cache.ts'
export { buildLots, idsByUser } from '../../../apps/bench/src/harness/fixtures/lots.ts'
export {
  commandsOf,
  openPostgres,
  openValkey,
  emptyStore,
  quiet,
  type BenchValkey,
} from '../../../apps/bench/src/harness/servers.ts'
export { reviveBid, reviveLot } from '../../../apps/bench/src/harness/codecs/revive.ts'
