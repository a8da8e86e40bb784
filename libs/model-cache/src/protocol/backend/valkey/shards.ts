import slotOf from 'cluster-key-slot'
import type { Cluster, Redis } from 'ioredis'

/** The part of a key that determines its cluster slot: the text between the first braces, otherwise the whole key. */
export function hashTagOf(key: string): string {
  const start = key.indexOf('{') + 1
  const end = start > 0 ? key.indexOf('}', start) : -1
  return end > start ? key.slice(start, end) : key
}

/** Maximum number of tags whose slots are cached. There is one tag per bucket, unless keys have no tags. */
const maxTags = 100_000

/** Creates a function that returns the primary of a key as `host:port`; `''` while the cluster is unknown. */
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

/** The primaries that hold slots, as far as the client knows them. */
export function primariesOf(cluster: Cluster): ReadonlySet<string> {
  const primaries = new Set<string>()
  // Slots of one range share a list of nodes.
  for (const nodes of new Set(cluster.slots)) if (nodes?.[0]) primaries.add(nodes[0])
  return primaries
}

/** The connection to a node, if there is one. */
export function nodeOf(cluster: Cluster, name: string): Redis | undefined {
  return cluster.nodes().find(({ options }) => `${options.host}:${options.port}` === name)
}

/** Runs a function in parallel for the items of each group, and returns its results in the order of the items. */
export async function inGroups<T, Result>(
  items: readonly T[],
  groupOf: (item: T) => string,
  run: (part: readonly T[], group: string) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results = Array<Result>(items.length)
  const groups = Map.groupBy(items.keys(), (i) => groupOf(items[i]!))
  const runFor = async ([group, places]: readonly [string, readonly number[]]): Promise<void> => {
    const part = places.map((i) => items[i]!)
    for (const [n, result] of (await run(part, group)).entries()) results[places[n]!] = result
  }
  await Promise.all(Array.from(groups, runFor))
  return results
}
