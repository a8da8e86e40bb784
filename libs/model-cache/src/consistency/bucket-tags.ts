import slotOf from 'cluster-key-slot'

/** Slots of a Valkey or Redis cluster. */
const clusterSlots = 16_384

/**
 * Hash tags for the buckets of a model, `<name>:<n>`, whose cluster slots lie evenly spread: bucket i of b has its slot in
 * the i-th of b equal ranges. So however a cluster divides its slots, in ranges as all tools do, its nodes get equal
 * shares of the buckets, give or take one. The numbers are the smallest ones with such a slot, the same in every process.
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
