import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../doctor/command-line.ts'
import { known, newKey, openWorld, type Pod, readKnown, type World } from './encrypted-world.ts'

const key = newKey('2026-11')
const text = key.key.toString('base64')

let world: World
let encrypted: Pod
let hashed: Pod
let folder: string
let withKeys: readonly string[]
beforeAll(async () => {
  world = await openWorld()
  encrypted = await world.open({ namespace: 'commands', atRest: { keys: [key] }, compress: { above: 10 } })
  hashed = await world.open({ namespace: 'commands-hashed', atRest: { keys: [key], hashKeys: true } })
  for (const pod of [encrypted, hashed]) await readKnown(pod)
  folder = await mkdtemp(join(tmpdir(), 'at-rest-'))
  await writeFile(join(folder, 'keys.json'), JSON.stringify([{ id: key.id, key: text }]))
  withKeys = ['--keys', join(folder, 'keys.json')]
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

const call = async (namespace: string, args: readonly string[], more: readonly string[] = []) => {
  const ended = await run([...args, ...more, '--valkey', world.url, '--namespace', namespace])
  expect(ended.output + ended.errors).not.toContain(text)
  return ended
}

it('show how caches store their values', async () => {
  const { output } = await call('commands', ['caches'])
  expect(output).toMatch(/^Person\n( .*\n)*  at rest +encrypted, compressed\n/m)
  expect(output).toMatch(/^Article\.results\n( .*\n)*  at rest +encrypted, compressed\n/m)
  const { output: others } = await call('commands-hashed', ['caches'])
  expect(others).toMatch(/^Seat\n( .*\n)*  at rest +encrypted, ids hashed with the key "2026-11"\n/m)
})

it('tell versions apart that processes store in clear text and encrypted', async () => {
  const clear = await world.open({ namespace: 'commands-hashed' })
  const { output } = await call('commands-hashed', ['caches'])
  const word = String.raw`\([\w-]{11}\)`
  const forms = [`encrypted, ids hashed with the key "2026-11" ${word}`, `in clear text ${word}`]
  const either = [forms.join(', '), forms.toReversed().join(', ')].join('|')
  expect(output).toMatch(new RegExp(String.raw`^Seat\n( .*\n)*  at rest +(${either})\n`, 'm'))
  await clear.close()
})

it('explain what is stored with the keys, and say that they are needed', async () => {
  for (const args of [
    ['explain', 'Person', known.person],
    ['explain', 'Seat', 'label', known.label],
  ]) {
    const blind = await call('commands', args)
    expect(blind.output).toMatch(
      /miss +it is encrypted: whether a read would use it is seen with the keys of/,
    )
    const seeing = await call('commands', args, withKeys)
    expect(seeing).toMatchObject({ code: 0, errors: '' })
    expect(seeing.output).toMatch(/hit +stored \d/)
  }
})

it('find ids that are hashed with the keys, and say that they are needed', async () => {
  for (const args of [
    ['explain', 'Seat', 'label', known.label],
    ['invalidate', 'Seat', '--lookup', 'label', known.label],
    ['invalidate', 'Person', known.person],
  ]) {
    const refused = await call('commands-hashed', args)
    expect(refused.code).toBe(2)
    expect(refused.errors).toContain('are hashed with the key "2026-11". Name a file that has it with --keys')
  }
  const explained = await call('commands-hashed', ['explain', 'Person', known.person], withKeys)
  expect(explained.output).toMatch(/hit +stored \d/)
})

it('invalidate what is hashed, and all of a cache without keys', async () => {
  const isStored = async () => (await hashed.people.explain(known.person)).stored.isHit
  expect(await isStored()).toBe(true)
  expect(await call('commands-hashed', ['invalidate', 'Person', known.person], withKeys)).toMatchObject({
    code: 0,
    output: 'Invalidated 1 row of Person.\n',
  })
  expect(await isStored()).toBe(false)
  expect((await call('commands-hashed', ['invalidate', 'Seat', '--all'])).code).toBe(0)
})

it('do not warm up from hashed ids, and say so', async () => {
  const warm = await call('another', ['warm', '--from', 'commands-hashed'])
  expect(warm.code).not.toBe(0)
  expect(warm.output + warm.errors).toMatch(/the ids of .*Person.* are hashed in keys \(atRest.hashKeys\)/)
})

it('name no ids in clear text to processes that encrypt messages', async () => {
  const clear = await world.open({ namespace: 'clear' })
  await readKnown(clear)
  const refused = await call('commands', ['warm', '--from', 'clear'])
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.errors).toMatch(
    /^The rows of \S+ are encrypted, and so are messages that name them\. Name a file with the keys with --keys\./,
  )
  // No process listens here.
  const sent = await world.heard(async () => {
    expect((await call('commands', ['warm', '--from', 'clear'], withKeys)).code).toBe(1)
  })
  expect(sent).toMatch(/publish commands:\{warm\} \$/)
  await clear.close()
})

it.each([
  ['none', 'missing.json', 'The file of keys cannot be read: ENOENT.'],
  ['no JSON', 'text.json', 'The file of keys is no JSON; expected [{ "id"'],
  ['a short key', 'short.json', 'that of the id "a" has 3 bytes'],
])('refuse a file of keys that is %s', async (_, file, message) => {
  await writeFile(join(folder, 'text.json'), `${text} ${text}`)
  await writeFile(join(folder, 'short.json'), JSON.stringify([{ id: 'a', key: 'AAAA' }]))
  const ended = await call('commands', ['explain', 'Person', known.person, '--keys', join(folder, file)])
  expect(ended.code).not.toBe(0)
  expect(ended.errors).toContain(message)
})
