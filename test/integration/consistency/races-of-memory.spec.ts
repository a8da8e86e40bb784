import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkeyCluster, type ValkeyCluster } from '../../support/valkey-server.js'
import { newEar } from './ear.js'
import { newGate } from './gates.js'
import { everyRow, hotRows, keepHot, messagesOfWrite, openReader } from './memory-pods.js'
import { itHolds } from './race.js'
import * as sabotage from './sabotage.js'
import { withMethods } from './sabotage.js'
import { getStored, keepInMemory, lotId, useWorlds } from './world.js'

const newWorld = useWorlds()

describe.each([
  ['a row in memory', everyRow, keepInMemory],
  ['a hot row', hotRows, keepHot],
])('R6, %s', (_, model, keep) => {
  itHolds(newWorld, {
    holds: 'is dropped when another process has written it',
    async play(world) {
      const { ear, reader, writer } = await openReader(world, model)
      await keep(reader)
      await ear.hears(messagesOfWrite, () => writer.write())
      return reader.get()
    },
    without: { 'messages that are not heard': sabotage.deaf },
  })

  itHolds(newWorld, {
    holds: 'is dropped by the message after a lost one',
    async play(world) {
      const { ear, reader, writer } = await openReader(world, model)
      await keep(reader)
      await ear.hears(messagesOfWrite, () => writer.write('lot-3'))
      await keep(reader)
      ear.isLosing = true
      await ear.hears(messagesOfWrite, () => writer.write())
      ear.isLosing = false
      await ear.hears(messagesOfWrite, () => writer.write('lot-3'))
      return reader.get()
    },
    without: { 'gaps that are not seen': sabotage.blindToGaps },
  })

  itHolds(newWorld, {
    holds: 'is not used while the process does not receive its own heartbeat',
    async play(world) {
      const { ear, reader, writer } = await openReader(world, model)
      await keep(reader)
      ear.isLosing = true
      await writer.write()
      await delay(2_100)
      return reader.get()
    },
    without: { 'what it says taken for heard': sabotage.neverLost },
  })

  itHolds(newWorld, {
    holds: 'is dropped when the subscription was lost, however soon there is another, and kept again',
    async play(world) {
      const { admin, database, namespace } = world
      const { ear, reader, writer } = await openReader(world, model)
      await keep(reader)
      // However soon the client subscribes again.
      ear.isLosing = true
      await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      await writer.write()
      const channel = `${namespace}:{Lot}:written`
      await eventuallyEqual(async () => ((await admin.pubsub('NUMSUB', channel)) as unknown[])[1], 1)
      ear.isLosing = false
      const found = await reader.get()
      if (found?.version !== database.row(lotId).version) return found
      await keepInMemory(reader)
      await eventually(async () => (await reader.cache.explain(lotId)).l1!.isTrusted)
      return reader.get()
    },
    without: { 'the loss not noticed': sabotage.neverLost },
  })
})

describe('R6, a row in memory', () => {
  itHolds(newWorld, {
    holds: 'is not kept if the store sent it before an invalidation and it arrives after it',
    async play(world) {
      const answer = newGate()
      const { ear, reader, writer } = await openReader(world, everyRow, (store) =>
        withMethods(store, {
          async getManyBytes(keys) {
            const values = await store.getManyBytes(keys)
            if (keys.some((key) => key.includes(lotId))) await answer.pass()
            return values
          },
        }),
      )
      await getStored(writer)
      const before = reader.get()
      await answer.reached
      await ear.hears(messagesOfWrite, () => writer.write())
      answer.open()
      await before
      await reader.cache.drain()
      return reader.get()
    },
    without: { 'messages that are not heard': sabotage.deaf },
  })

  itHolds(newWorld, {
    holds: 'is dropped by the first message of a process whose earlier messages were lost',
    async play(world) {
      const { ear, reader, writer } = await openReader(world, everyRow)
      await keepInMemory(reader)
      ear.isLosing = true
      await ear.hears(messagesOfWrite, () => writer.write())
      ear.isLosing = false
      await ear.hears(messagesOfWrite, () => writer.write('lot-2'))
      return reader.get()
    },
    without: { 'gaps that are not seen': sabotage.blindToGaps },
  })

  it('is used again, from empty, once the process has a new subscription', async () => {
    const { admin, database, openPod } = newWorld()
    const [reader, writer] = [await openPod({ model: everyRow }), await openPod()]
    await keepInMemory(reader)
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await writer.write()
    // It may have a new subscription before anybody looks.
    await eventuallyEqual(async () => (await reader.cache.explain(lotId)).l1!, {
      isTrusted: true,
      isHeld: false,
    })
    expect(await getStored(reader)).toStrictEqual(database.row(lotId))
    await keepInMemory(reader)
    expect(await reader.get()).toStrictEqual(database.row(lotId))
  })
})

describe('in a cluster, a row in memory', () => {
  let cluster: ValkeyCluster
  let admins: Redis[]
  const client = () =>
    new Cluster(
      cluster.nodes.map(({ host, port }) => ({ host, port })),
      { lazyConnect: true },
    )

  beforeAll(async () => {
    cluster = await startValkeyCluster()
    admins = cluster.nodes.map(({ port }) => new Redis(port))
  })
  afterAll(async () => {
    for (const admin of admins) admin.disconnect()
    await cluster.stop()
  })

  itHolds(newWorld, {
    holds: 'is dropped when the subscription was lost, however soon there is another',
    async play({ namespace, openPod }) {
      const ear = newEar()
      const reader = await openPod({
        model: everyRow,
        wrap: ear.wrap,
        valkey: { client: client(), deadlineMs: patientMs },
      })
      const writer = await openPod({ valkey: { client: client(), deadlineMs: patientMs } })
      await keepInMemory(reader)
      ear.isLosing = true
      for (const admin of admins) await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      await writer.write()
      const channel = `${namespace}:{Lot}:written`
      const subscribed = (admin: Redis) => admin.call('PUBSUB', 'SHARDNUMSUB', channel) as Promise<unknown[]>
      await eventually(async () =>
        (await Promise.all(admins.map(subscribed))).some(([, count]) => count === 1),
      )
      ear.isLosing = false
      return reader.get()
    },
    without: { 'the loss not noticed': sabotage.neverLost },
  })
})
