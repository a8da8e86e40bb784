import { eventually, eventuallyEqual } from '../../support/eventually.js'
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
  await pod.writes.released()
  const { labels } = pod.caches
  const isHeld = async (): Promise<boolean> => {
    await labels.list('ofColour', colour)
    // Rows are kept once they have been stored.
    await labels.drain()
    const { l1 } = await labels.explain('ofColour', colour)
    return l1!.isHeld && l1!.isTrusted
  }
  await eventually(isHeld)
  return pod
}

const hits = ({ counts }: Labels): number => counts.get('Label.ofColour reads l1 hit') ?? 0
const misses = ({ counts }: Labels): number => counts.get('Label reads l1 miss') ?? 0
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
    const [one, two] = [1, 2].map(() => pod.caches.labels.list('ofColour', 'teal'))
    const lists = [await one!, await two!, ...(await pod.caches.labels.listMany('ofColour', ['teal']))]
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

  it('are held from their load on', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ labels })
    await sql.query(`INSERT INTO "Label" (name, colour) VALUES ('a', 'teal'), ('b', 'teal')`)
    await openHolding(pod, 'gold')
    await pod.caches.labels.list('ofColour', 'teal')
    await pod.caches.labels.drain()
    const missed = misses(pod)
    expect(namesOf(await pod.caches.labels.list('ofColour', 'teal'))).toEqual(['a', 'b'])
    expect(misses(pod)).toBe(missed)
  })

  it('end with writes of other processes', async () => {
    const { openPod } = await newWorld()
    const writer = await openPod({ labels })
    const pod = await openPod({ labels })
    await writer.prisma.label.createMany({ data: ['a', 'b'].map((name) => ({ name, colour: 'teal' })) })
    await openHolding(pod, 'teal')
    // Its memory hears of the writes of others by messages.
    const teal = async () => namesOf(await pod.caches.labels.list('ofColour', 'teal'))
    await writer.prisma.label.create({ data: { name: 'c', colour: 'teal' } })
    await eventuallyEqual(teal, ['a', 'b', 'c'])
    await writer.prisma.label.update({ where: { name: 'a' }, data: { colour: 'gold' } })
    await eventuallyEqual(teal, ['b', 'c'])
  })
})
