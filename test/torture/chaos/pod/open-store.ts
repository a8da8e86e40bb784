import { Cluster } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import type { ValkeyAccess } from './protocol.ts'

export function openStore(access: ValkeyAccess): ValkeyStore {
  if (access.kind === 'single') return new ValkeyStore({ url: access.url, deadlineMs: 200 })
  // More processes share the machine.
  const deadlineMs = 1_000
  if (access.kind === 'cluster') {
    const { natMap, nodes } = access
    return new ValkeyStore({ client: new Cluster([...nodes], { lazyConnect: true, natMap }), deadlineMs })
  }
  const { name, natMap, sentinels } = access
  return new ValkeyStore({ sentinels, name, options: { natMap }, deadlineMs })
}
