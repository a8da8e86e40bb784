import slotOf from 'cluster-key-slot'
import type { Cluster } from 'ioredis'

/** What of a key decides its cluster slot: the text between the first braces, or all of it. */
export function hashTagOf(key: string): string {
  const start = key.indexOf('{') + 1
  const end = start > 0 ? key.indexOf('}', start) : -1
  return end > start ? key.slice(start, end) : key
}

/** Tags whose slot is remembered. There are as many as models have buckets, unless keys have no tags. */
const maxTags = 100_000

/** Tells the node that holds a key, as `host:port`; `''` while the cluster is not known. */
export function createShardOf(cluster: Cluster): (key: string) => string {
  const slots = new Map<string, number>()
  return (key) => {
    const tag = hashTagOf(key)
    let slot = slots.get(tag)
    if (slot === undefined) {
      slot = slotOf(tag)
      if (slots.size >= maxTags) slots.clear()
      slots.set(tag, slot)
    }
    return cluster.slots[slot]?.[0] ?? ''
  }
}
