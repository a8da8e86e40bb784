/** Real Valkey servers for anything that runs on Node: tests, benches, scripts. Nothing here needs Jest. */
export { describeValkey } from './describe-valkey.ts'
export { findValkeyServer } from './find-valkey-server.ts'
export { startValkey } from './start-valkey.ts'
export { startValkeyCluster } from './valkey-cluster.ts'
export type { FoundValkeyServer } from './find-valkey-server.ts'
export type { StartValkeyOptions, ValkeyServer } from './start-valkey.ts'
export type { ValkeyCluster } from './valkey-cluster.ts'
