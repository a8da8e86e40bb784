import { turns } from '../../support/eventually.js'
import { newEar } from './ear.js'
import { defineLots, keepInMemory, lotId, type Pod, type World, type Wrap } from './world.js'

/** Memory keeps every row that is read, or those that are read so many times a second. */
export const everyRow = defineLots({ l1: { ttl: '1h' } })
export const hotRows = defineLots({ l1: { ttl: '1h', hot: 3 } })

/** At the fence, and at its release. */
export const messagesOfWrite = 2

/** Has a row hot and in memory, and so often read that it stays hot for seconds. */
export async function keepHot(pod: Pod, id = lotId): Promise<void> {
  await keepInMemory(pod, id)
  for (let read = 0; read < 50; read++) {
    await pod.get(id)
    await turns(1)
  }
}

/** A process that hears messages, because it uses its memory already, and one that writes. */
export async function openReader({ openPod }: World, model: typeof everyRow, wrap: Wrap = (store) => store) {
  const ear = newEar()
  const reader = await openPod({ model, wrap: (store, admin) => wrap(ear.wrap(store), admin) })
  const writer = await openPod()
  await keepInMemory(reader, 'lot-2')
  return { ear, reader, writer }
}
