import { eventually } from '../../support/eventually.ts'
import { everybody, known, newKey, openWorld, type Pod, readKnown, type World } from './encrypted-world.ts'

let world: World
let pod: Pod
beforeAll(async () => {
  world = await openWorld()
  pod = await world.open({ namespace: 'tampered', atRest: { keys: [newKey('a')] } })
  await readKnown(pod)
})
afterAll(() => world.close())

/** A person that L1 does not keep. */
const person = '5eed0000-0000-4000-a000-0000000000a2'

/** The key of the one value whose key has a text in it. */
async function keyWith(text: string): Promise<string> {
  const keys = await world.valkey.keys(`tampered:*${text}*`)
  const found = keys.filter((key) => !key.endsWith(':l'))
  expect(found).toHaveLength(1)
  return found[0]!
}

const drained = async (): Promise<void> => {
  for (const { cache } of pod.registry.caches) await cache!.drain()
}

/** Reads a seat by its key, of which the store has whatever bytes are written before. */
const readSeat = async (): Promise<unknown> => (await pod.seats.getBy('label', known.label))?.place

it('makes a miss of each changed bit of a small value, and never an error or another row', async () => {
  const key = await keyWith(`label=${known.label}`)
  const value = (await world.valkey.getBuffer(key))!
  pod.counts()
  let misses = 0
  for (let bit = 0; bit < 8 * value.length; bit++) {
    const changed = Buffer.from(value)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    await world.valkey.set(key, changed)
    expect(await readSeat()).toBe(1)
    await drained()
    const counts = pod.counts()
    const unusable = (counts['miss undecodable'] ?? 0) + (counts['miss invalidated'] ?? 0)
    if (unusable === 1) misses++
    else throw new Error(`bit ${bit}: ${JSON.stringify(counts)}`)
  }
  expect(misses).toBe(8 * value.length)
})

it('warns once', () => {
  const warned = pod.warnings.filter((message) => message.includes('does not open with the key'))
  expect(warned).toHaveLength(1)
  expect(warned[0]).toMatch(/^ModelCache "Seat": a value in the store was changed, or copied/)
  expect(warned[0]).not.toContain(known.label)
})

it.each([
  ['cut', (value: Buffer) => value.subarray(0, -1)],
  ['longer', (value: Buffer) => Buffer.concat([value, Buffer.from('x')])],
  ['empty', () => Buffer.alloc(0)],
  ['clear text', () => Buffer.from('tampered')],
])('makes a miss of a value that is %s', async (_, change) => {
  const key = await keyWith(`label=${known.label}`)
  await world.valkey.set(key, change((await world.valkey.getBuffer(key))!))
  expect(await readSeat()).toBe(1)
  await drained()
})

it('does not open a value under another key, as what it would be a row of another id', async () => {
  await pod.people.get(person)
  await drained()
  const [one, other] = [await keyWith(known.person), await keyWith(person)]
  const value = (await world.valkey.getBuffer(other))!
  await world.valkey.set(one, value)
  const fresh = await world
    .open({ namespace: 'tampered', atRest: { keys: [] as never } })
    .catch((error) => error)
  expect(fresh.message).toContain('"atRest.keys": there is none')
  await pod.people.invalidate(person)
  await world.valkey.set(one, value)
  pod.counts()
  expect((await pod.people.explain(known.person)).stored).toEqual({ isHit: false, reason: 'undecodable' })
  expect(pod.counts()).toEqual({ 'unopened tampered': 1 })
})

it('does not open a value of another namespace, which has the same keys and the same epochs', async () => {
  const keys = [newKey('shared')]
  const names = ['one', 'two'].map((name) => `replayed-${name}`)
  const pods = []
  for (const namespace of names) pods.push(await world.open({ namespace, atRest: { keys } }))
  const [one, other] = pods as [Pod, Pod]
  for (const one of pods) await readKnown(one)
  const inOther = (await world.valkey.keys(`${names[1]}:{*`)).filter((key) => !key.endsWith(':l'))
  // Rows, entries, results, what says that there is no row, and registers with their epochs.
  for (const key of inOther) {
    const value = await world.valkey.getBuffer(key).catch(() => null)
    if (value) await world.valkey.set(key.replace(names[1]!, names[0]!), value)
  }
  await other.close()
  // L1 has its rows.
  await one.close()
  const reader = await world.open({ namespace: names[0]!, atRest: { keys } })
  reader.counts()
  expect((await reader.people.get(known.person))?.name).toBe(known.name)
  expect(await reader.people.get(known.absent)).toBeNull()
  expect((await reader.seats.getBy('label', known.label))?.hall).toBe(known.hall)
  const counts = reader.counts()
  expect(counts).toMatchObject({ 'unopened tampered': 3, 'miss undecodable': 3 })
  expect(counts['store hit']).toBeUndefined()
  await reader.close()
})

/** The keys of results of a model. */
async function resultsOf(model: string): Promise<readonly string[]> {
  return (await world.valkey.keys(`tampered:{${model}.results:*`)).filter((key) => !key.endsWith(':l'))
}

/** The key of a result that is being stored. */
async function addedTo(model: string, before: readonly string[]): Promise<string> {
  const added = async () => (await resultsOf(model)).find((key) => !before.includes(key))
  await eventually(async () => (await added()) !== undefined)
  return (await added())!
}

it('does not open the result of one query for another', async () => {
  const query = {
    where: { name: { not: 'else' } },
    omit: { secret: true },
    orderBy: { email: 'desc' },
  } as const
  const before = await resultsOf('Person')
  const expected = await pod.prisma.person.findMany(query)
  const added = await addedTo('Person', before)
  await world.valkey.set(added, (await world.valkey.getBuffer(before[0]!))!)
  pod.counts()
  expect(await pod.prisma.person.findMany(query)).toEqual(expected)
  expect(pod.counts()).toMatchObject({ 'unopened tampered': 1, 'miss undecodable': 1 })
})

it('does not count a value of an earlier epoch, which is kept and written again', async () => {
  const ranked = () => pod.prisma.article.findMany({ where: { rank: { gte: 0 } }, orderBy: { id: 'asc' } })
  const before = await resultsOf('Article')
  await ranked()
  const key = await addedTo('Article', before)
  const old = (await world.valkey.getBuffer(key))!
  await pod.prisma.article.updateMany({ data: { rank: 77 } })
  await pod.registry.writes.released()
  await world.valkey.set(key, old)
  pod.counts()
  expect(new Set((await ranked()).map(({ rank }) => rank))).toEqual(new Set([77]))
  expect(pod.counts()).toMatchObject({ 'miss invalidated': 1 })
})

it('reads 64,000 changed values of people as misses', async () => {
  const ids = Array.from({ length: 7 }, (_, i) => `5eed0000-0000-4000-a000-0000000000a${i + 1}`)
  const reader = await world.open({ namespace: 'many', atRest: { keys: [newKey('m')] } })
  await Promise.all(ids.map((id) => reader.people.get(id)))
  await reader.people.explain(ids[0]!)
  for (const { cache } of reader.registry.caches) await cache!.drain()
  const keys = (await world.valkey.keys('many:{Person:*')).filter((key) => !key.endsWith(':l'))
  expect(keys).toHaveLength(7)
  const { inspected } = reader.registry.caches.find(({ definition }) => definition.name === 'Person')!.cache!
  const values = await world.valkey.mgetBuffer(keys)
  let looked = 0
  for (let round = 0; looked < 64_000; round++) {
    const changed = Array.from({ length: 7 }, (_, i) => {
      const bytes = Buffer.from(values[(i + round) % 7]!)
      // Another value under this key in some rounds, a changed byte in others.
      if (round % 7 === 0 || round % 3 === 0) bytes[(round * 31 + i) % bytes.length]! ^= 1 + (round % 255)
      return [keys[i]!, bytes] as const
    })
    await world.valkey.mset(new Map(changed))
    // Looks as a read does, and stores nothing.
    const stored = await Promise.all(Array.from({ length: 40 }, () => inspected.storedOf(ids)))
    for (const found of stored.flat()) {
      looked++
      if (found.isHit) throw new Error(`round ${round}: a changed value counts`)
    }
  }
  await reader.close()
}, 120_000)

it('serves what the database has', async () => {
  expect((await pod.prisma.person.findMany(everybody)).length).toBe(7)
})
