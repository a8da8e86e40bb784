import { eventually, turns } from '../../support/eventually.js'
import { type Gate, newGate } from './gates.js'
import { hotRows, keepHot, messagesOfWrite, openReader } from './memory-pods.js'
import { itHolds } from './race.js'
import * as sabotage from './sabotage.js'
import { all, withMethods } from './sabotage.js'
import { getStored, isStored, keepInMemory, lotId, type Pod, useWorlds } from './world.js'

const newWorld = useWorlds()
const promotions = ({ counts }: Pod): number => counts.get('hotIds promoted') ?? 0

/** Requests the row, each time in another turn, until it has become hot, and once more. */
async function heat(pod: Pod): Promise<readonly Promise<unknown>[]> {
  const before = promotions(pod)
  const reads: Promise<unknown>[] = []
  do {
    reads.push(pod.get())
    await turns(1)
  } while (promotions(pod) === before)
  reads.push(pod.get())
  await turns()
  return reads
}

describe('R6, a row that becomes hot', () => {
  it('while a fence stands is neither stored nor in memory, in any process, until the write has ended', async () => {
    const { database, openPod } = newWorld()
    const [reader, writer] = [await openPod({ model: hotRows }), await openPod({ model: hotRows })]
    for (const pod of [reader, writer]) await keepInMemory(pod, 'lot-2')
    const unit = writer.begin()
    await unit.fence()
    const isHeldIn = async (pod: Pod) => (await pod.cache.explain(lotId)).l1!.isHeld
    for (const pod of [reader, writer]) {
      await Promise.all(await heat(pod))
      expect([await isStored(pod), await isHeldIn(pod)]).toEqual([false, false])
    }
    database.write(lotId)
    for (const pod of [reader, writer]) {
      expect(await getStored(pod)).toStrictEqual(database.row(lotId))
      expect([await isStored(pod), await isHeldIn(pod)]).toEqual([false, false])
    }
    await unit.end()
    for (const pod of [reader, writer]) {
      expect(await pod.get()).toStrictEqual(database.row(lotId))
      await keepInMemory(pod)
      expect(await pod.get()).toStrictEqual(database.row(lotId))
    }
  })

  itHolds(newWorld, {
    holds: 'while a fence stands is not kept by a load that returns after the write',
    async play(world) {
      const { database } = world
      const { ear, reader, writer } = await openReader(world, hotRows)
      const unit = writer.begin()
      await ear.hears(1, () => unit.fence())
      const load = database.hold()
      const first = reader.get()
      await load.begun
      const others = await heat(reader)
      database.write(lotId)
      await ear.hears(1, () => unit.end())
      load.release()
      await Promise.all([first, ...others])
      await reader.cache.drain()
      return reader.get()
    },
    without: {
      'fences, fills that a write refuses, and messages': all(
        sabotage.noFences,
        sabotage.forcedFills,
        sabotage.deaf,
      ),
    },
  })

  itHolds(newWorld, {
    holds: 'while it is loaded is not kept if a write begins and ends meanwhile',
    async play(world) {
      const { database } = world
      const { ear, reader, writer } = await openReader(world, hotRows)
      const load = database.hold()
      const first = reader.get()
      await load.begun
      const others = await heat(reader)
      await ear.hears(messagesOfWrite, () => writer.write())
      load.release()
      await Promise.all([first, ...others])
      await reader.cache.drain()
      return reader.get()
    },
    without: { 'fills that a write refuses, and messages': all(sabotage.forcedFills, sabotage.deaf) },
  })

  itHolds(newWorld, {
    holds: 'while the store sends it is not kept if it is written before it arrives',
    async play(world) {
      const answer = newGate()
      let [asked, held] = [0, 0]
      const { ear, reader, writer } = await openReader(world, hotRows, (store) =>
        withMethods(store, {
          async getManyBytes(keys) {
            if (!keys.some((key) => key.includes(lotId))) return store.getManyBytes(keys)
            asked++
            const values = await store.getManyBytes(keys)
            held++
            await answer.pass()
            return values
          },
        }),
      )
      await getStored(writer)
      const reads = await heat(reader)
      await eventually(() => held === asked)
      await ear.hears(messagesOfWrite, () => writer.write())
      answer.open()
      await Promise.all(reads)
      await reader.cache.drain()
      return reader.get()
    },
    without: { 'messages that are not heard': sabotage.deaf },
  })

  it('is not what a read has found that began before a newer one was answered', async () => {
    const world = newWorld()
    let gate: Gate | undefined
    const { ear, reader, writer } = await openReader(world, hotRows, (store) =>
      withMethods(store, {
        async getManyBytes(keys) {
          const held = gate
          const values = await store.getManyBytes(keys)
          await held?.pass()
          return values
        },
      }),
    )
    await getStored(writer)
    const first = (gate = newGate())
    const early = reader.get()
    await first.reached
    gate = undefined
    ear.isLosing = true
    await writer.write()
    // From the store: nobody notes its deliveries of a row that is not hot.
    const newest = await getStored(writer)
    expect(await reader.get()).toStrictEqual(newest)
    const others = (gate = newGate())
    const reads = await heat(reader)
    gate = undefined
    first.open()
    expect(await early).toMatchObject({ version: newest!.version - 1 })
    expect(await reader.get()).toStrictEqual(newest)
    others.open()
    await Promise.all(reads)
  })
})

describe('R6, a hot row', () => {
  itHolds(newWorld, {
    holds: 'is not kept by a load during which a write was not heard',
    async play(world) {
      const { ear, reader, writer } = await openReader(world, hotRows)
      await keepHot(reader)
      await ear.hears(messagesOfWrite, () => writer.write())
      const load = world.database.hold()
      const before = reader.get()
      await load.begun
      ear.isLosing = true
      await writer.write()
      load.release()
      await before
      await reader.cache.drain()
      return reader.get()
    },
    without: { 'fills that a write refuses': sabotage.forcedFills },
  })
})
