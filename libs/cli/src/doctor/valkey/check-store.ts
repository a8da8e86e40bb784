import { type ValkeyNodes, ValkeyStore } from 'model-cache/internal'
import { sentenceOf } from '../doctor.js'
import { fault, type Finding, ok } from '../finding.js'

/** What may keep a server from writing, by its answer, and the remedy. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/\bOOM\b/, 'CONFIG SET maxmemory to a higher limit; see docs/capacity.md.'],
  [/READONLY/, 'Give the address of the primary.'],
  [
    /MISCONF/,
    'The server cannot save its data: make room on its disk, or CONFIG SET stop-writes-on-bgsave-error no',
  ],
  [/NOREPLICAS/, 'Start its replicas, or CONFIG SET min-replicas-to-write 0'],
  [/CLUSTERDOWN|no node|no connection/i, 'Repair the cluster: valkey-cli --cluster fix <host>:<port>'],
]

/** Whether a row can be leased, stored, read and invalidated, with the scripts of the library on a key that expires at once. */
export async function checkStore(
  nodes: ValkeyNodes,
  namespace: string,
  deadlineMs: number,
): Promise<readonly Finding[]> {
  const store = new ValkeyStore({ ...nodes.connection, deadlineMs })
  const key = `${namespace}:{doctor}:${crypto.randomUUID()}`
  const guarded = { key, guard: `${key}:l` }
  try {
    await store.connect()
    const [lease] = await store.leaseMany([guarded], {
      token: crypto.randomUUID(),
      leaseMs: 5_000,
      onlyAbsent: true,
      onlyUnmarked: false,
    })
    const fill = { ...guarded, token: lease?.token ?? '', value: 'doctor', ttlMs: 5_000 }
    await store.fillMany([fill])
    const [value] = await store.getMany([key])
    await store.releaseFences([guarded], { token: '', holdMs: 0, markMs: 1 })
    const [left] = await store.getMany([key])
    if (value === 'doctor' && left === null)
      return [ok('valkey.writable', 'A row could be stored, read and invalidated.')]
    return [broken('A row that was stored is not there, or is there after its invalidation.', undefined)]
  } catch (error) {
    const reason = sentenceOf(error)
    return [broken(`A row could not be stored: ${reason}`, remedies.find(([text]) => text.test(reason))?.[1])]
  } finally {
    await store.close()
  }
}

function broken(found: string, remedy: string | undefined): Finding {
  return fault(
    'error',
    'valkey.writable',
    found,
    'Rows are not cached: reads go to the database, and in mode `strict` writes fail.',
    remedy,
  )
}
