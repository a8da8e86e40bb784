import slotOf from 'cluster-key-slot'

/** The number of slots in a Valkey or Redis cluster. */
const clusterSlots = 16_384

/**
 * Chooses hash tags for the buckets of a model, `<name>:<n>`, with evenly spread cluster slots: bucket i of b has its slot in
 * the i-th of b equal ranges. All tools assign slots to nodes in ranges, so the nodes get equal
 * shares of the buckets, give or take one. Each number is the smallest one with such a slot, so all processes choose the same.
 *
 * @param count a power of two, up to 1,024
 */
export function bucketTags(name: string, count: number): readonly string[] {
  const tags = Array<string | undefined>(count).fill(undefined)
  const rangeSize = clusterSlots / count
  for (let n = 0, found = 0; found < count; n++) {
    const tag = `${name}:${n}`
    const bucket = Math.floor(slotOf(tag) / rangeSize)
    if (tags[bucket] !== undefined) continue
    tags[bucket] = tag
    found++
  }
  return tags as readonly string[]
}
