import { useOpened } from '../../support/use-opened.js'
import { everybody, known, newKey, openWorld, readKnown } from './encrypted-world.ts'

const world = useOpened(openWorld)

const texts = [known.name, 'P1@x.org', 'nick 1', 'P7@x.org']
const ids = [known.person, known.absent, known.hall, known.label]

/** Those that a dump, a replica or a backup shows. */
async function seen(wanted: readonly string[], namespace: string): Promise<readonly string[]> {
  const dump = [...(await world.dump())].filter(([key]) => key.startsWith(`${namespace}:{`)).flat()
  expect(dump.length).toBeGreaterThan(16)
  return wanted.filter((text) => dump.some((part) => part.includes(text)))
}

it('is seen of rows, ids, lists, results and negative entries that are not encrypted', async () => {
  const pod = await world.open({ namespace: 'clear' })
  await readKnown(pod)
  expect(await seen([...texts, ...ids], 'clear')).toEqual([...texts, ...ids])
  await pod.close()
})

it('is seen of ids in keys alone, if values are encrypted', async () => {
  const pod = await world.open({ namespace: 'values', atRest: { keys: [newKey('a')] } })
  await readKnown(pod)
  // By the name, results of queries end apart.
  expect(await seen([...texts, ...ids], 'values')).toEqual([known.name, ...ids])
  const values = [...(await world.dump())]
    .filter(([key]) => key.startsWith('values:{'))
    .map(([, value]) => value)
  expect([...texts, ...ids].filter((text) => values.some((value) => value.includes(text)))).toEqual([])
  pod.counts()
  await pod.people.get(known.person)
  const found = await pod.prisma.person.findMany(everybody)
  expect(found.map(({ name }) => name)).toContain(known.name)
  expect(pod.counts()['store miss']).toBeUndefined()
  await pod.close()
})

it('is seen of nothing, if ids in keys are hashed', async () => {
  const pod = await world.open({ namespace: 'hashed', atRest: { keys: [newKey('a')], hashKeys: true } })
  await readKnown(pod)
  expect(await seen([...texts, ...ids], 'hashed')).toEqual([])
  pod.counts()
  expect((await pod.seats.getBy('label', known.label))?.hall).toBe(known.hall)
  expect(await pod.seats.list('ofHall', known.hall)).toHaveLength(1)
  expect(await pod.people.get(known.absent)).toBeNull()
  expect(pod.counts()['store miss']).toBeUndefined()
  await pod.close()
})

it.each([
  ['in the messages of writes', false, [known.name, known.person]],
  ['in commands and messages, if ids are hashed', true, []],
] as const)('is seen of no row, and of ids: %s', async (_, hashKeys, shown) => {
  const namespace = hashKeys ? 'messages-hashed' : 'messages'
  const options = { namespace, atRest: { keys: [newKey('a')], hashKeys } }
  const [writer, reader] = [await world.open(options), await world.open(options)]
  await readKnown(writer)
  await readKnown(reader)
  const read = async (): Promise<unknown> => (await reader.people.get(known.person))?.nick
  const heard = await world.heard(async () => {
    await writer.prisma.person.update({ where: { id: known.person }, data: { nick: 'nick 1 again' } })
    await writer.registry.writes.released()
    for (let i = 0; i < 500 && (await read()) !== 'nick 1 again'; i++)
      await new Promise((resolve) => setTimeout(resolve, 10))
  })
  expect(await read()).toBe('nick 1 again')
  expect([...texts, 'nick 1 again', ...ids].filter((text) => heard.includes(text))).toEqual(shown)
  const published = heard.split('\n').filter((line) => line.includes(':written'))
  expect(published.length).toBeGreaterThan(0)
  // The arguments of a script that fences have keys, and then what is published.
  const messages = published.map((line) => line.slice(line.lastIndexOf(':written')))
  expect(messages.filter((text) => ids.some((id) => text.includes(id)))).toEqual([])
  expect(messages.filter((text) => text.includes(';$')).length).toBeGreaterThan(0)
  await Promise.all([writer.close(), reader.close()])
})
