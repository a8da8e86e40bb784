import type { Source } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'
import type { Lot } from './versioned-lots.js'
import { type World, defineLots, getStored, type Pod, useWorlds } from './world.js'

const newWorld = useWorlds()
const [present, missing] = ['lot-1', 'no such lot']

const isHit = async ({ cache }: Pod, id: string): Promise<boolean> => (await cache.explain(id)).stored.isHit

const source: Source<Lot, string> = {
  load: async (ids) => ids.filter((id) => id === present).map((id) => ({ id, version: 1 })),
  mayBlameOneId: () => false,
}

/** A pod that has stored one row, and a negative entry for another. */
async function openFilled({ openPod }: World): Promise<Pod> {
  const pod = await openPod({ source })
  for (const id of [present, missing]) await getStored(pod, id)
  expect([await isHit(pod, present), await isHit(pod, missing)]).toEqual([true, true])
  return pod
}

describe('rows that are created with unknown ids', () => {
  it('invalidate negative entries and keep rows', async () => {
    const world = newWorld()
    const pod = await openFilled(world)
    const unit = (await world.openPod()).writes.begin()
    unit.markCreated('Lot', 'nested')
    await unit.fence()
    expect([await isHit(pod, present), await isHit(pod, missing)]).toEqual([true, false])
    await unit.end()
    expect([await isHit(pod, present), await isHit(pod, missing)]).toEqual([true, false])
  })

  it('let no process store a negative entry before they are committed', async () => {
    const world = newWorld()
    const pod = await openFilled(world)
    const unit = (await world.openPod()).writes.begin()
    unit.markCreated('Lot', 'nested')
    await unit.fence()
    await getStored(pod, missing)
    expect(await isHit(pod, missing)).toBe(false)
    await unit.end()
    await getStored(pod, missing)
    expect(await isHit(pod, missing)).toBe(true)
  })

  it('invalidate negative entries in the memory of other processes, and keep rows there', async () => {
    const world = newWorld()
    const pod = await world.openPod({ source, model: defineLots({ l1: { ttl: '1m' }, notFoundTtl: '1m' }) })
    const isHeld = async (id: string): Promise<boolean> => {
      const { l1 } = await pod.cache.explain(id)
      return l1!.isTrusted && l1!.isHeld
    }
    await eventually(async () => {
      for (const id of [present, missing]) await getStored(pod, id)
      return (await isHeld(present)) && (await isHeld(missing))
    })
    const unit = (await world.openPod()).writes.begin()
    unit.markCreated('Lot', 'nested')
    await unit.fence()
    await unit.end()
    await eventually(async () => !(await isHeld(missing)))
    expect(await isHeld(present)).toBe(true)
  })
})
