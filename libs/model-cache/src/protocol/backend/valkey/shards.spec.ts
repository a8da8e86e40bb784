import slotOf from 'cluster-key-slot'
import type { Cluster } from 'ioredis'
import { createShardOf, hashTagOf, inGroups } from './shards.js'

/** What a cluster client knows of slots: lists of a primary and its replicas. */
function knowing(slots: Record<number, readonly string[]>): Cluster {
  const all = Array.from({ length: 16_384 }, (_, slot) => slots[slot])
  return { slots: all, nodes: () => [] } as unknown as Cluster
}

describe('the hash tag of a key', () => {
  it.each([
    ['mc:{Lot:7}:a:print', 'Lot:7'],
    ['{a}', 'a'],
    ['{a}{b}', 'a'],
    ['a{b', 'a{b'],
    ['a}b', 'a}b'],
    ['a}{b}', 'b'],
    ['a{}b', 'a{}b'],
    ['{{a}}', '{a'],
    ['', ''],
  ])('of %j is %j, as servers take it', (key, tag) => {
    expect(hashTagOf(key)).toBe(tag)
    expect(slotOf(key)).toBe(slotOf(tag))
  })
})

describe('the shard of a key', () => {
  it('is the primary of its slot, as the client knows it just now', () => {
    const cluster = knowing({ [slotOf('a')]: ['h:1', 'h:2'] })
    const shardOf = createShardOf(cluster)
    expect([shardOf('x{a}'), shardOf('y{a}'), shardOf('b')]).toEqual(['h:1', 'h:1', ''])
    cluster.slots[slotOf('a')] = ['h:2']
    expect(shardOf('x{a}')).toBe('h:2')
  })
})

describe('work in groups', () => {
  it('has the items of a group, and results in the order of all items', async () => {
    const parts: unknown[] = []
    const results = await inGroups(
      [1, 2, 3],
      (item) => (item % 2 === 0 ? 'even' : 'odd'),
      async (part, group) => {
        parts.push([group, part])
        return part.map((item) => item * 10)
      },
    )
    expect(parts).toEqual([
      ['odd', [1, 3]],
      ['even', [2]],
    ])
    expect(results).toEqual([10, 20, 30])
  })

  it('fails if that of one group does', async () => {
    const failing = async (part: readonly number[], group: string) => {
      if (group === '2') throw new Error('down')
      return part
    }
    await expect(inGroups([1, 2], String, failing)).rejects.toThrow('down')
  })
})
