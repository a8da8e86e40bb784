import { defineModelCache, type Pod, useLookupWorlds } from './lookup-pods.ts'

const newWorld = useLookupWorlds()

const labels = defineModelCache('Label', {
  ttl: '1h',
  rows: 'shared',
  l1: { ttl: '1m' },
  lists: { ofColour: { by: 'colour' } },
})

type Labels = Pod<{ labels: typeof labels }>

/** A process that holds the list of a colour in memory, and hears the writes of others. */
async function openHolding(pod: Labels, colour: string): Promise<Labels> {
  const { list, explain } = pod.caches.labels
  const isHeld = async (): Promise<boolean> => {
    await list.call(pod.caches.labels, 'ofColour', colour)
    const { l1 } = await explain.call(pod.caches.labels, 'ofColour', colour)
    return l1!.isHeld && l1!.isTrusted
  }
  while (!(await isHeld())) await new Promise(setImmediate)
  return pod
}

const hits = ({ counts }: Labels): number => counts.get('Label.ofColour reads l1 hit') ?? 0
const namesOf = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name)

describe('lists of shared rows in memory', () => {
  it('are returned in the turn of the request, each in an array of its own', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ labels })
    await pod.prisma.label.createMany({ data: ['a', 'b'].map((name) => ({ name, colour: 'teal' })) })
    await openHolding(pod, 'teal')
    const before = hits(pod)
    pod.statements()
    let isLaterTurn = false
    setImmediate(() => (isLaterTurn = true))
    const lists = await Promise.all([1, 2, 3].map(() => pod.caches.labels.list('ofColour', 'teal')))
    expect(isLaterTurn).toBe(false)
    expect(lists.map(namesOf)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect(new Set(lists).size).toBe(3)
    expect(lists[0]![0]).toBe(lists[1]![0])
    expect(Object.isFrozen(lists[0]![0])).toBe(true)
    await new Promise(setImmediate)
    expect(hits(pod) - before).toBe(3)
    expect(pod.statements()).toEqual([])
  })

  it('end with an invalidation in the same turn', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ labels })
    await pod.prisma.label.createMany({ data: ['a', 'b'].map((name) => ({ name, colour: 'teal' })) })
    await openHolding(pod, 'teal')
    await sql.query(`UPDATE "Label" SET colour = 'gold' WHERE name = 'b'`)
    const before = pod.caches.labels.list('ofColour', 'teal')
    const invalidated = pod.caches.labels.invalidate('b')
    const after = pod.caches.labels.list('ofColour', 'teal')
    expect(namesOf(await before)).toEqual(['a', 'b'])
    expect(namesOf(await after)).toEqual(['a'])
    await invalidated
  })

  it('end with writes of other processes', async () => {
    const { openPod } = await newWorld()
    const writer = await openPod({ labels })
    const pod = await openPod({ labels })
    await writer.prisma.label.createMany({ data: ['a', 'b'].map((name) => ({ name, colour: 'teal' })) })
    await openHolding(pod, 'teal')
    await writer.prisma.label.create({ data: { name: 'c', colour: 'teal' } })
    expect(namesOf(await pod.caches.labels.list('ofColour', 'teal'))).toEqual(['a', 'b', 'c'])
    await writer.prisma.label.update({ where: { name: 'a' }, data: { colour: 'gold' } })
    expect(namesOf(await pod.caches.labels.list('ofColour', 'teal'))).toEqual(['b', 'c'])
  })

  it('refuse a key of another type', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ labels })
    await expect(pod.caches.labels.list('ofColour', 7 as never)).rejects.toThrow(
      /^ModelCache "Label.ofColour": key is 7; expected a well-formed string without NUL/,
    )
  })
})
