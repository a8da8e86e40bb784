import { Slicer } from '@model-cache/event-loop/internal'
import { AtRest, type Fill, MemoryStore, storedForm } from '../protocol/index.js'
import { AtRestStore } from './at-rest-store.js'

const atRest = AtRest.of({ keys: [{ id: 'a', key: Buffer.alloc(32, 1) }] })

function open(compressAboveBytes?: number, budgetMs = 4) {
  const store = new MemoryStore()
  const counts: Record<string, number> = {}
  const logged: string[] = []
  const add = (name: string, count: number): void => void (counts[name] = (counts[name] ?? 0) + count)
  const opened = new AtRestStore({
    name: 'User',
    store,
    form: storedForm({ atRest, models: [], compressAboveBytes })!,
    slicer: new Slicer({ budgetMs }),
    observer: {
      unopenedValues: (reason, count) => add(reason, count),
      compressedBytes: (stage, bytes) => add(stage, bytes),
      syncSeconds: (operation) => add(operation, 1),
    },
    log: { warn: (message) => logged.push(message), info: () => {} },
  })
  const fill = async (values: Readonly<Record<string, string>>): Promise<readonly boolean[]> => {
    const keys = Object.keys(values).map((key) => ({ key, guard: `${key}:l` }))
    const request = { token: `t${Math.random()}`, leaseMs: 60_000, onlyAbsent: false, onlyUnmarked: false }
    const answers = await store.leaseMany(keys, request)
    const fills: Fill[] = keys.map((key, i) => ({
      ...key,
      token: answers[i]!.token!,
      value: values[key.key]!,
      ttlMs: 60_000,
    }))
    return opened.fillMany(fills)
  }
  return { counts, fill, logged, opened, store }
}

const large = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ place: i, name: `lot ${i}` })))

describe('a store of encrypted values', () => {
  it('gives back what it was given, and keeps something else', async () => {
    const { fill, opened, store } = open()
    const values = { a: 'rosé', b: '', c: large }
    expect(await fill(values)).toEqual([true, true, true])
    expect(await opened.getMany(['c', 'none', 'a', 'b'])).toEqual([large, null, 'rosé', ''])
    const [kept] = await store.getManyBytes(['a'])
    expect(kept!.toString('latin1')).not.toContain('ros')
  })

  it('reads guards as they are', async () => {
    const { opened, store } = open()
    const key = { key: 'a', guard: 'a:l' }
    await store.leaseMany([key], { token: 't', leaseMs: 1_000, onlyAbsent: false, onlyUnmarked: false })
    expect((await opened.getMany(['a', 'a:l']))[1]).toMatch(/^0;t@\d+;$/)
  })

  it('takes in what it can of each call, whose values come in any order', async () => {
    const { fill, opened } = open(100)
    const values = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`k${i}`, i % 7 === 0 ? large + i : `value ${i}`]),
    )
    await fill(values)
    const keys = Object.keys(values).toReversed()
    expect(await opened.getMany(keys)).toEqual(keys.map((key) => values[key]))
  })

  it('has a value that counts as none for each that does not open, and warns once', async () => {
    const { counts, fill, logged, opened, store } = open()
    await fill({ a: 'one', b: 'two' })
    const [one, two] = await store.getManyBytes(['a', 'b'])
    const get = async (): Promise<string | null> => (await opened.getMany(['a']))[0]!
    const put = (value: Buffer) => (store.getManyBytes = async () => [value])
    for (const value of [two!, one!.subarray(1), Buffer.from('clear text'), Buffer.alloc(0)]) {
      put(value)
      expect(await get()).toBe('?')
    }
    put(Buffer.concat([Buffer.from([1]), Buffer.from('b'), one!.subarray(2)]))
    expect(await get()).toBe('?')
    expect(counts).toMatchObject({ unknown_key: 1, tampered: 4 })
    expect(logged).toEqual([
      expect.stringMatching(/^ModelCache "User": a value in the store was changed, or/),
    ])
  })

  it('does not answer, where its store does not', async () => {
    const { opened, store } = open()
    store.getManyBytes = () => Promise.reject(new Error('no answer'))
    await expect(opened.getManyBytes(['a'])).rejects.toThrow('no answer')
  })
})

describe('a store of compressed values', () => {
  it('counts the bytes before and after it', async () => {
    const { counts, fill } = open(1_000)
    await fill({ a: large, b: 'small' })
    expect(counts.before).toBe(large.length + 5)
    expect(counts.after).toBeLessThan(counts.before! / 4)
    const { counts: others, fill: fillOthers } = open()
    await fillOthers({ a: large })
    expect(others.before).toBeUndefined()
  })

  it('opens values in time slices by what they become, however few bytes they take in the store', async () => {
    const { counts, fill, opened, store } = open(1_000, 0.1)
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`)
    await fill(Object.fromEntries(keys.map((key) => [key, 'x'.repeat(200_000)])))
    const stored = await store.getManyBytes(keys)
    expect(stored.reduce((bytes, value) => bytes + value!.length, 0)).toBeLessThan(32_000)
    delete counts.decode
    // As many as were opened at once when bytes in the store counted.
    const few = keys.slice(0, 100)
    expect((await opened.getMany(few)).map((value) => value!.length)).toEqual(few.map(() => 200_000))
    expect(counts.decode).toBeGreaterThan(5)
  })

  it('has a value that counts as none for a bomb', async () => {
    const { counts, fill, opened, store } = open(1_000)
    await fill({ a: 'x'.repeat(100_000) })
    expect((await opened.getMany(['a']))[0]).toHaveLength(100_000)
    const form = storedForm({ atRest: undefined, models: [], compressAboveBytes: 10 })!
    const closed = (await form.values.close('a', 'y'.repeat(50_000))) as Buffer
    closed.writeUInt32BE(10, 1)
    const bombs = new AtRestStore({
      name: 'User',
      store,
      form,
      slicer: new Slicer(),
      observer: {
        unopenedValues: (reason) => (counts[reason] = (counts[reason] ?? 0) + 1),
        compressedBytes: () => {},
        syncSeconds: () => {},
      },
      log: { warn: () => {}, info: () => {} },
    })
    store.getManyBytes = async () => [closed]
    expect(await bombs.getMany(['a'])).toEqual(['?'])
    expect(counts.damaged).toBe(1)
  })
})
