import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { useOpened } from '../../support/use-opened.js'
import { known, newKey, openWorld, type Pod, readKnown } from './encrypted-world.ts'

const world = useOpened(openWorld)

const [old, renewed] = [newKey('2026-05'), newKey('2026-11')]

/** Reads a seat, which L1 does not keep: `hit`, `miss`, or why its value could not be opened. */
async function readSeat(pod: Pod): Promise<string> {
  pod.counts()
  expect((await pod.seats.getBy('label', known.label))?.hall).toBe(known.hall)
  for (const { cache } of pod.registry.caches) await cache!.drain()
  const counts = pod.counts()
  const [unopened] = Object.keys(counts).filter((name) => name.startsWith('unopened'))
  return unopened ?? (counts['store miss'] ? 'miss' : 'hit')
}

/** Resolves when each process has stored what it reads, which a new one may not at first. */
async function answering(pods: readonly Pod[]): Promise<void> {
  for (const pod of pods) await eventually(async () => (await readSeat(pod)) === 'hit')
}

describe('keys that rotate', () => {
  it('leave values readable as long as both are known', async () => {
    const namespace = 'rotated'
    const first = await world.open({ namespace, atRest: { keys: [old] } })
    await readKnown(first)
    const second = await world.open({ namespace, atRest: { keys: [old, renewed] } })
    expect(await readSeat(second)).toBe('hit')
    const third = await world.open({ namespace, atRest: { keys: [renewed, old] } })
    expect(await readSeat(third)).toBe('hit')
    await third.seats.invalidateAll()
    expect(await readSeat(third)).toBe('miss')
    await eventually(async () => (await readSeat(third)) === 'hit')
    expect(await readSeat(second)).toBe('hit')
    // It does not have the key of what is stored now.
    expect(await readSeat(first)).toBe('unopened unknown_key')
    await eventually(async () => (await readSeat(first)) === 'hit')
    expect(await readSeat(second)).toBe('hit')
    await first.close()
    // The value that the first has written instead.
    const last = await world.open({ namespace, atRest: { keys: [renewed] } })
    expect(await readSeat(last)).toBe('unopened unknown_key')
    await eventually(async () => (await readSeat(last)) === 'hit')
    expect([...first.warnings, ...last.warnings].filter((text) => text.includes('does not open'))).toEqual([])
    await Promise.all([second.close(), third.close(), last.close()])
  })

  it('rotate under reads and writes without a stale or an unreadable value', async () => {
    const namespace = 'under-load'
    const rings = [[old], [old, renewed], [renewed, old]].flatMap((keys) => [{ keys }, { keys }])
    // Of two steps that follow each other: both keys are known to all.
    const pods = await Promise.all(rings.slice(2).map((atRest) => world.open({ namespace, atRest })))
    await answering(pods)
    for (const pod of pods) pod.counts()
    let place = 1
    const state = { isDone: false }
    const readers = pods.map(async ({ seats }) => {
      while (!state.isDone) {
        const before = place
        const seat = await seats.getBy('label', known.label)
        expect(seat?.place).toBeGreaterThanOrEqual(before)
        await delay(1)
      }
    })
    for (let round = 0; round < 40; round++) {
      const { prisma } = pods[round % pods.length]!
      await prisma.seat.update({ where: { label: known.label }, data: { place: place + 1 } })
      place++
      await delay(5)
    }
    state.isDone = true
    await Promise.all(readers)
    const counts = pods.map((pod) => pod.counts())
    expect(counts.flatMap(Object.keys).filter((name) => name.startsWith('unopened'))).toEqual([])
    expect(counts.every((each) => each['store hit']! > 0)).toBe(true)
    await pods[0]!.prisma.seat.update({ where: { label: known.label }, data: { place: 1 } })
    for (const pod of pods) await pod.close()
  })

  it('rotate with hashed ids as well: both processes fence the keys of both', async () => {
    const namespace = 'hashed-rotation'
    const before = await world.open({ namespace, atRest: { keys: [old, renewed], hashKeys: true } })
    const after = await world.open({ namespace, atRest: { keys: [renewed, old], hashKeys: true } })
    await answering([before, after])
    for (const [i, writer] of [before, after, before].entries()) {
      await writer.prisma.seat.update({ where: { label: known.label }, data: { price: i } })
      await writer.registry.writes.released()
      for (const reader of [before, after])
        expect(Number((await reader.seats.getBy('label', known.label))?.price)).toBe(i)
    }
    await Promise.all([before.close(), after.close()])
  })
})

describe('processes that store in another form', () => {
  it.each([
    ['encrypted and in clear text', {}, { atRest: { keys: [old] } }],
    ['with hashed ids, which the other cannot hash', {}, { atRest: { keys: [old], hashKeys: true } }],
    ['with keys of their own', { atRest: { keys: [renewed] } }, { atRest: { keys: [old], hashKeys: true } }],
    [
      'compressed and encrypted',
      { compress: { above: 1 } },
      { compress: { above: 1 }, atRest: { keys: [old] } },
    ],
  ] as const)('do not read what the other has stored, and see its writes: %s', async (name, one, other) => {
    const namespace = `mixed-${name.length}`
    const pods = [await world.open({ namespace, ...one }), await world.open({ namespace, ...other })]
    await answering(pods)
    for (const [i, writer] of [...pods, ...pods].entries()) {
      await writer.prisma.seat.update({ where: { label: known.label }, data: { price: 100 + i } })
      await writer.registry.writes.released()
      for (const { seats } of pods) {
        expect(Number((await seats.getBy('label', known.label))?.price)).toBe(100 + i)
        expect(Number((await seats.list('ofHall', known.hall))[0]?.price)).toBe(100 + i)
      }
    }
    for (const pod of pods) {
      expect(pod.warnings.filter((text) => text.includes('does not open'))).toEqual([])
      await pod.close()
    }
  })
})

describe('what is invalidated by hand', () => {
  const forms = [
    ['in clear text', {}],
    ['encrypted', { atRest: { keys: [old] } }],
    ['hashed', { atRest: { keys: [old, renewed], hashKeys: true } }],
    ['hashed with another key', { atRest: { keys: [renewed, old], hashKeys: true } }],
  ] as const

  it.each(forms)('is gone in all forms, from a process that stores %s', async (name) => {
    const namespace = `by-hand-${name.replaceAll(' ', '-')}`
    const pods: Pod[] = []
    for (const [, options] of forms) pods.push(await world.open({ namespace, ...options }))
    await answering(pods)
    const writer = pods[forms.findIndex(([form]) => form === name)]!
    const { hall, place, row } = (await writer.seats.getBy('label', known.label))!
    const id = { hall, row, place }
    const isStored = async ({ seats }: Pod) => (await seats.explain(id)).stored.isHit
    const isEntryStored = async ({ seats }: Pod) => (await seats.explain('label', known.label)).stored.isHit
    const all = async (look: (pod: Pod) => Promise<boolean>) => Promise.all(pods.map(look))
    expect(await all(isStored)).toEqual([true, true, true, true])
    await writer.seats.invalidate(id)
    expect(await all(isStored)).toEqual([false, false, false, false])
    await answering(pods)
    expect(await all(isEntryStored)).toEqual([true, true, true, true])
    await writer.seats.invalidateBy('label', known.label)
    expect(await all(isEntryStored)).toEqual([false, false, false, false])
    for (const pod of pods) await pod.close()
  })
})

describe('keys that a function gives', () => {
  it('are fetched before anything is read', async () => {
    const keys = async () => (await delay(20), [old])
    const pod = await world.open({ namespace: 'rotated', atRest: { keys } })
    await eventually(async () => (await readSeat(pod)) === 'hit')
    await pod.close()
  })

  it('fail the start if they cannot be fetched', async () => {
    const keys = () => Promise.reject(new Error('the key service is down'))
    await expect(world.open({ atRest: { keys } })).rejects.toMatchObject({
      code: 'E_INVALID_OPTION',
      message: expect.stringContaining('option "atRest.keys": the function that fetches them has failed'),
      cause: { message: 'the key service is down' },
    })
  })
})

describe('what processes find out about each other at the start', () => {
  it('is that the other stores in another form', async () => {
    const namespace = 'noticed'
    const clear = await world.open({ namespace })
    const encrypted = await world.open({ namespace, atRest: { keys: [old] } })
    const formsIn = (pod: Pod) => pod.warnings.filter((text) => text.includes('in another form'))
    expect(formsIn(clear)).toEqual([])
    expect(formsIn(encrypted)).toEqual([
      expect.stringContaining('Person (encrypted here, in clear text there), Seat (encrypted here'),
    ])
    await Promise.all([clear.close(), encrypted.close()])
  })

  it('is nothing, if they do the same', async () => {
    const options = { namespace: 'alike', atRest: { keys: [old], hashKeys: true } }
    const pods = [await world.open(options), await world.open(options)]
    for (const pod of pods) {
      expect(pod.warnings.filter((text) => text.includes('in another form'))).toEqual([])
      await pod.close()
    }
  })

  it('refuses models that there are not', async () => {
    await expect(world.open({ atRest: { keys: [old], models: ['Persons'] } })).rejects.toThrow(
      /"atRest.models" is "Persons"; expected models that there are: .*Person/,
    )
  })
})

describe('models that are encrypted', () => {
  it('are those that are listed, in results as well that read them', async () => {
    const namespace = 'some'
    const pod = await world.open({ namespace, atRest: { keys: [old], models: ['Person'], hashKeys: true } })
    await readKnown(pod)
    await pod.prisma.article.findMany({ include: { author: true }, orderBy: { title: 'desc' } })
    // Without the id of a person, which is what such a row says of itself.
    await pod.prisma.article.findMany({ select: { title: true }, orderBy: { title: 'desc' } })
    let dump: readonly (readonly [string, string])[] = []
    const isSeen = (text: string): boolean => dump.flat().some((part) => part.includes(text))
    // The last one of these is stored after the others.
    await eventually(async () => {
      dump = [...(await world.dump())].filter(([key]) => key.startsWith(`${namespace}:{`))
      return isSeen('title 8')
    })
    expect([known.name, known.person, 'P1@x.org', 'nick 1'].filter(isSeen)).toEqual([])
    expect([known.hall, known.label, 'title 8'].filter(isSeen)).toEqual([known.hall, known.label, 'title 8'])
    await pod.close()
  })
})
