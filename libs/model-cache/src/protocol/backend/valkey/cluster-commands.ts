import type { Cluster } from 'ioredis'
import { multiGet } from './serialized-command.js'
import { hashTagOf, inGroups, nodeOf, primariesOf } from './shards.js'

/** Returns values in the order of the keys. Sends one `MGET` per hash tag, because a command must stay within one slot. */
export function mgetByTag(cluster: Cluster, keys: readonly string[]): Promise<(Buffer | null)[]> {
  return inGroups(keys, hashTagOf, (ofTag) =>
    multiGet(cluster, ofTag).catch((error: unknown) => {
      if (!isOfMigratingSlot(error)) throw error
      return Promise.all(ofTag.map((key) => cluster.getBuffer(key)))
    }),
  )
}

/** Resolves if every node that holds slots answers. */
export async function pingPrimaries(cluster: Cluster): Promise<void> {
  // Without a known slot there is no connection, and this rejects.
  const primaries = [...primariesOf(cluster)]
  if (primaries.length === 0) await cluster.ping()
  const ping = async (primary: string): Promise<void> => {
    const node = nodeOf(cluster, primary)
    if (!node) throw new Error(`there is no connection to ${primary}`)
    await node.ping()
  }
  try {
    await Promise.all(primaries.map(ping))
  } catch (error) {
    // The slots of a node may have moved to another one; without reads the client would not notice.
    cluster.refreshSlotsCache()
    throw error
  }
}

/**
 * Whether a command failed because its slot migrates key by key and the two nodes hold some of its keys each. The client
 * retries such a command at both nodes until it gives up.
 */
export function isOfMigratingSlot(error: unknown): boolean {
  return error instanceof Error && /TRYAGAIN|Too many Cluster redirections/.test(error.message)
}
