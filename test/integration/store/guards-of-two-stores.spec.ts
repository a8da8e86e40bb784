import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { MemoryStore, type Store, ValkeyStore } from 'model-cache/advanced'
import { patientMs } from '../../support/patience.js'
import { valkeyUrl } from '../../support/servers.js'
import { Random } from '../differential/random.js'

const longMs = 60_000
const writers = ['one', 'two', 'three']
const kinds = ['read', 'lease', 'lease', 'fill', 'giveUp', 'fence', 'fence', 'release', 'release'] as const

interface Step {
  readonly kind: (typeof kinds)[number]
  readonly rows: readonly number[]
  readonly token: string
  readonly markMs: number
  readonly holdMs: number
  readonly flags: readonly [boolean, boolean]
}

/** Does the steps, and returns what a caller can see of each. Leases are numbered, because each store has its own. */
async function answersOf(store: Store, steps: readonly Step[]): Promise<unknown[]> {
  const space = randomUUID()
  const keyOf = (row: number) => {
    const key = `mc:{${space}:0}:${row}:p`
    return { key, guard: `${key}:l` }
  }
  const held = new Map<number, string>()
  const answers: unknown[] = []
  for (const { kind, rows, token, markMs, holdMs, flags } of steps) {
    const keys = rows.map(keyOf)
    switch (kind) {
      case 'read':
        answers.push(await store.getMany(keys.map(({ key }) => key)))
        break
      case 'lease': {
        const [onlyAbsent, onlyUnmarked] = flags
        const granted = await store.leaseMany(keys, { token, leaseMs: longMs, onlyAbsent, onlyUnmarked })
        granted.forEach((lease, i) => lease.token !== null && held.set(rows[i]!, lease.token))
        answers.push(granted.map(({ refusal }) => refusal))
        break
      }
      case 'fill': {
        const fills = rows.map((row, i) => ({ ...keys[i]!, token: held.get(row) ?? 'none@1', value: token }))
        answers.push(await store.fillMany(fills.map((fill) => ({ ...fill, ttlMs: longMs }))))
        break
      }
      case 'giveUp':
        await store.releaseLeases(keys, held.get(rows[0]!) ?? 'none@1')
        break
      case 'fence':
        await store.fenceMany(keys, { token, fenceMs: longMs, markMs })
        break
      case 'release':
        await store.releaseFences(keys, { token, holdMs, markMs })
        break
    }
  }
  const all = [0, 1, 2, 3].map(keyOf)
  const marked = { token: 'last', leaseMs: longMs, onlyAbsent: false, onlyUnmarked: true }
  answers.push(await store.getMany(all.map(({ key }) => key)))
  answers.push((await store.leaseMany(all, marked)).map(({ refusal }) => refusal))
  return answers
}

let store: ValkeyStore
let admin: Redis
beforeAll(async () => {
  store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  admin = new Redis(valkeyUrl().replace('valkey:', 'redis:'))
  await store.connect()
})
afterAll(async () => {
  admin.disconnect()
  await store.close()
})

it('gives the answers of the memory store in Valkey, whatever happened to the rows before', async () => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= 400; seed++) {
    const random = new Random(seed)
    const steps = Array.from({ length: 14 }, (): Step => {
      const rows = [0, 1, 2, 3].filter(() => random.chance(40))
      return {
        kind: random.pick(kinds),
        rows: rows.length > 0 ? rows : [random.pick([0, 1])],
        token: random.pick(writers),
        markMs: random.pick([longMs / 2, longMs]),
        holdMs: random.pick([0, 0, 0, longMs]),
        flags: [random.chance(50), random.chance(30)],
      }
    })
    const [inMemory, inValkey] = await Promise.all([
      answersOf(new MemoryStore(), steps),
      answersOf(store, steps),
    ])
    expect({ seed, answers: inValkey }).toEqual({ seed, answers: inMemory })
    for (const answer of inMemory.flat()) seen.add(String(answer))
  }
  // So the steps have reached what they are to compare.
  expect(seen).toEqual(new Set(['null', 'true', 'false', 'fenced', 'leased', 'filled', ...writers]))
})

it.each([
  ['no guard', undefined, /^0;;one@\d+$/, /^\d+;;$/],
  ['a mark', '5;;', /^5;;one@\d+$/, /^\d+;;$/],
  ['a mark and a lease', '5;two@9999999999999999;', /^5;;one@\d+$/, /^\d+;;$/],
  ['the fence of another writer', '5;;two@9999999999999', /^5;;two@\d+ one@\d+$/, /^\d+;;two@9999999999999$/],
  ['its own fence', '5;;one@9999999999999', /^5;;one@\d+$/, /^\d+;;$/],
  ['an ended fence', '5;;two@1', /^30001;;one@\d+$/, /^\d+;;$/],
  ['held rows', '5;;held@9999999999999', /^5;;held@\d+ one@\d+$/, /^\d+;;held@9999999999999$/],
  ['a late mark', '9999999999999;;', /^9999999999999;;one@\d+$/, /^9999999999999;;$/],
  ['foreign text', 'hello', /^0;;one@\d+$/, /^\d+;;$/],
  ['foreign digits', `${'9'.repeat(30)};;`, /^0;;one@\d+$/, /^\d+;;$/],
])('fences and releases one row or several whose guard is %s', async (_, before, fenced, released) => {
  for (const count of [1, 2]) {
    const space = randomUUID()
    const keys = Array.from({ length: count }, (_, row) => {
      const key = `mc:{${space}:0}:${row}:p`
      return { key, guard: `${key}:l` }
    })
    const guards = keys.map(({ guard }) => guard)
    if (before !== undefined) for (const guard of guards) await admin.set(guard, before)
    await store.fenceMany(keys, { token: 'one', fenceMs: longMs, markMs: 30_000 })
    for (const text of await admin.mget(guards)) expect(text).toMatch(fenced)
    const endsMs = await admin.pttl(guards[0]!)
    expect(endsMs).toBeGreaterThan(longMs + 20_000)
    await store.releaseFences(keys, { token: 'one', holdMs: 0, markMs: 30_000 })
    for (const text of await admin.mget(guards)) expect(text).toMatch(released)
  }
})
