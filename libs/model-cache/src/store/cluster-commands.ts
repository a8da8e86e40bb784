import type { Cluster } from 'ioredis'
import { multiGet } from './multi-get.js'
import { hashTagOf, nodeOf, primariesOf } from './shards.js'

/** Values in the order of the keys. One `MGET` for each hash tag, as a command must keep to one slot. */
export async function mgetByTag(cluster: Cluster, keys: readonly string[]): Promise<(Buffer | null)[]> {
  const values = Array<Buffer | null>(keys.length).fill(null)
  const places = Map.groupBy(keys.keys(), (i) => hashTagOf(keys[i]!))
  const read = async (part: readonly number[]): Promise<void> => {
    const ofTag = part.map((i) => keys[i]!)
    const replies = await multiGet(cluster, ofTag).catch((error: unknown) => {
      if (!isOfMovingSlot(error)) throw error
      return Promise.all(ofTag.map((key) => cluster.getBuffer(key)))
    })
    for (const [n, value] of replies.entries()) values[part[n]!] = value
  }
  await Promise.all(Array.from(places.values(), read))
  return values
}

/** Resolves when every node that holds slots answers. */
export async function pingPrimaries(cluster: Cluster): Promise<void> {
  // Without a slot that is known there is no connection, and the client says so.
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
    // Its slots may be with another node by now, which nobody would notice who reads nothing.
    cluster.refreshSlotsCache()
    throw error
  }
}

/**
 * While a slot is moved key by key, commands on several keys fail when some are here and some there. The client tries them at
 * one node and the other until it has enough.
 */
export function isOfMovingSlot(error: unknown): boolean {
  return error instanceof Error && /TRYAGAIN|Too many Cluster redirections/.test(error.message)
}
