import { randomBytes } from 'node:crypto'
import { modelCaches } from 'model-cache'
import {
  AtRest,
  createModelCache,
  type ReadThroughCache,
  Slicer,
  Tick,
  ValkeyStore,
} from 'model-cache/advanced'
import type { Redis } from 'ioredis'
import type { Run } from '../../harness/comparison.ts'
import { costsOf, type Work } from '../../harness/costs.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import { type Intervals, intervalsOf } from '../../harness/interval.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { openSingle } from '../../harness/servers.ts'
import { sum } from '../../harness/statistics.ts'
import { CryptoAlone } from './crypto-alone.ts'

const atRest = AtRest.of({ keys: [{ id: '2026-11', key: randomBytes(32) }] })
const compress = { above: '1kB' } as const

/** How values are stored, in the order of the table. */
const forms = [
  { form: 'plain' },
  { form: 'encrypted', atRest },
  {
    form: 'encrypted, ids hashed',
    atRest: AtRest.of({ keys: [{ id: 'a', key: randomBytes(32) }], hashKeys: true }),
  },
  { form: 'compressed', compress },
  { form: 'compressed and encrypted', atRest, compress },
] as const
type Form = (typeof forms)[number]

/** Small, median and large rows, and how many are read and written at once. */
const sizes = [
  { model: 'GuestUser', count: 500, burst: 1 },
  { model: 'GuestUser', count: 500, burst: 20 },
  { model: 'GuestUser', count: 500, burst: 500 },
  { model: 'AuctionItem', count: 500, burst: 500 },
  { model: 'FeatureFlags', count: 24, burst: 24 },
] as const

type Row = { readonly id: string }
type Cache = ReadThroughCache<Row, string>

/** What rows of a model cost in a form, and how much of what plain ones do. */
interface Case extends Readonly<
  Record<
    | 'burst'
    | 'bytes'
    | 'bytesToPlain'
    | 'readUs'
    | 'readToPlain'
    | 'readSpread'
    | 'readTurnMs'
    | 'writeUs'
    | 'writeToPlain'
    | 'writeTurnMs',
    number
  >
> {
  readonly model: string
  readonly form: string
  /** Plain ones and the calls of `node:crypto` for the same values, to plain ones; undefined for forms that compress or do not encrypt. */
  readonly readFloor: number | undefined
  readonly writeFloor: number | undefined
}

export async function measureAtRest({ use, effort: { rounds } }: Run<Record<'rounds', number>>) {
  const { admins, describe, url } = await use(openSingle())
  const [admin] = admins as [Redis]
  const store = await use(new ValkeyStore({ url, deadlineMs: 30_000 }))
  await store.connect()
  const cases: Case[] = []
  let intervals: Intervals = {}
  for (const size of sizes) {
    const { burst, count, model } = size
    const fixture = allFixtures.find(({ name }) => name === model) as Fixture<Row>
    const rows = Array.from({ length: count }, (_, i) => ({
      ...fixture.rows[i % fixture.rows.length]!,
      id: `row-${String(i).padStart(12, '0')}`,
    }))
    const opened: (Form & { readonly cache: Cache; readonly namespace: string })[] = []
    for (const one of forms) {
      const namespace = `${model}-${burst}-${forms.indexOf(one)}`
      opened.push({ ...one, ...(await open(use, store, { fixture, rows, form: one, namespace })), namespace })
    }
    say(`${model}, ${burst} at once …`)
    const worksOf = (name: 'read' | 'write'): readonly (Work & { form: string })[] =>
      opened.map(({ cache, form, namespace }) => {
        const next = takesTurns(rows, burst)
        const prepare = async (): Promise<void> => {
          const keys = await keysIn(admin, namespace)
          if (name === 'write' && keys.length > 0) await admin.unlink(keys)
        }
        return {
          name,
          form,
          servers: admins,
          times: name === 'read' ? Math.max(1, Math.round(500 / burst)) : 1,
          watchesTurns: true,
          prepare,
          async run() {
            await Promise.all(next().map(({ id }) => cache.get(id)))
            if (name === 'write') await cache.drain()
          },
        }
      })
    for (const { cache } of opened) {
      await Promise.all(rows.map(({ id }) => cache.get(id)))
      await cache.drain()
    }
    const bytes = new Map<string, number>()
    for (const { form, namespace } of opened) bytes.set(form, await bytesIn(admin, namespace))
    const options = { rounds, warmUps: Math.ceil(rounds / 3) }
    const alone = new CryptoAlone(await valuesIn(admin, opened[0]!.namespace))
    const aloneOf = (name: 'read' | 'write'): Work & { form: string } => {
      const next = takesTurns(
        rows.map((_, i) => i),
        burst,
      )
      const work = name === 'read' ? 'decrypt' : 'encrypt'
      return {
        name,
        form: 'node:crypto alone',
        servers: admins,
        times: Math.max(1, Math.round(500 / burst)),
        run: async () => alone[work](next()[0]!, burst),
      }
    }
    const reads = await costsOf([...worksOf('read'), aloneOf('read')], options)
    const writes = await costsOf([...worksOf('write'), aloneOf('write')], options)
    const readsOf = (form: string): number[] =>
      reads.find(({ work }) => work.form === form)!.taken.map(({ cpuMs }) => cpuMs)
    if (model === 'GuestUser') intervals = { ...intervals, ...intervalsOfSmall(burst, readsOf) }
    const floors = [reads, writes].map((costs) => (costs[0]!.cpuMs + costs.at(-1)!.cpuMs) / costs[0]!.cpuMs)
    const plain = { read: reads[0]!.cpuMs, write: writes[0]!.cpuMs, bytes: bytes.get('plain')! }
    for (const [i, { cpuMs, cpuSpread, turnMs, work }] of reads.slice(0, -1).entries()) {
      const stored = bytes.get(work.form)!
      const [readFloor, writeFloor] = work.form.startsWith('encrypted')
        ? floors.map((one) => rounded(one, 3))
        : []
      cases.push({
        model,
        burst,
        form: work.form,
        bytes: Math.round(stored),
        bytesToPlain: rounded(stored / plain.bytes, 3),
        readUs: rounded((1_000 * cpuMs) / burst, 3),
        readToPlain: rounded(cpuMs / plain.read, 3),
        readSpread: cpuSpread,
        readFloor,
        readTurnMs: rounded(turnMs, 3),
        writeUs: rounded((1_000 * writes[i]!.cpuMs) / burst, 3),
        writeToPlain: rounded(writes[i]!.cpuMs / plain.write, 3),
        writeFloor,
        writeTurnMs: rounded(writes[i]!.turnMs, 3),
      })
    }
  }
  const of = (model: string, burst: number, form: Form['form']) =>
    cases.find((one) => one.model === model && one.burst === burst && one.form === form)!
  const beyondFloor = ({ readFloor, readToPlain }: Case): number => rounded(readToPlain / readFloor!, 3)
  return {
    server: await describe(),
    rounds,
    cases,
    intervals,
    summary: {
      'CPU of encrypted reads of single small rows to plain ones': of('GuestUser', 1, 'encrypted')
        .readToPlain,
      'CPU of encrypted reads of 20 small rows to plain ones': of('GuestUser', 20, 'encrypted').readToPlain,
      'CPU of encrypted reads of 500 small rows to plain ones': of('GuestUser', 500, 'encrypted').readToPlain,
      'CPU of encrypted reads of 500 small rows to plain ones and node:crypto alone': beyondFloor(
        of('GuestUser', 500, 'encrypted'),
      ),
      'bytes of compressed rows of 100 kB to plain ones': of('FeatureFlags', 24, 'compressed').bytesToPlain,
      'longest turn of compressed reads of rows of 100 kB to plain ones': rounded(
        of('FeatureFlags', 24, 'compressed').readTurnMs / of('FeatureFlags', 24, 'plain').readTurnMs,
        3,
      ),
    },
  }
}

/** @param readsOf CPU by round of what reads rows in a form */
function intervalsOfSmall(burst: number, readsOf: (form: string) => readonly number[]): Intervals {
  const [encrypted, plain, alone] = ['encrypted', 'plain', 'node:crypto alone'].map(readsOf) as [
    number[],
    number[],
    number[],
  ]
  const floor = plain.map((ms, round) => ms + alone[round]!)
  const atOnce = burst === 1 ? 'single' : String(burst)
  const name = `CPU of encrypted reads of ${atOnce} small rows to plain ones`
  return intervalsOf({ [name]: [encrypted, plain], [`${name} and node:crypto alone`]: [encrypted, floor] })
}

interface Opened {
  readonly fixture: Fixture<Row>
  readonly rows: readonly Row[]
  readonly form: Form
  readonly namespace: string
}

async function open(use: Run['use'], store: ValkeyStore, { fixture, form, namespace, rows }: Opened) {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const definition = modelCaches().defineModelCache<Row>()({
    model: fixture.name,
    schema: fixture.schema as never,
    id: 'id',
    ttl: '1h',
    ...('compress' in form && { compress: form.compress }),
  })
  const source = {
    load: async (ids: readonly string[]) => ids.map((id) => byId.get(id)!),
    mayBlameOneId: () => false,
  }
  const cache = await use(
    createModelCache(definition, {
      store,
      source,
      namespace,
      tick: new Tick(),
      slicer: new Slicer(),
      ...('atRest' in form && { atRest: form.atRest }),
    }),
  )
  return { cache }
}

/** Returns as many rows with each call, from the first to the last and again. */
function takesTurns<T>(all: readonly T[], count: number): () => readonly T[] {
  let at = 0
  return () => {
    const taken = all.slice(at, at + count)
    at = (at + count) % all.length
    return taken
  }
}

const isValue = (key: string): boolean => !key.endsWith(':l') && !key.endsWith(':register')

async function keysIn(admin: Redis, namespace: string): Promise<string[]> {
  const keys = await admin.keys(`${namespace}:{*`)
  return keys.filter((key) => isValue(key) && !key.includes('{catalogue}'))
}

/** Values by their keys. */
async function valuesIn(admin: Redis, namespace: string): Promise<ReadonlyMap<string, string>> {
  const keys = await keysIn(admin, namespace)
  const values = await admin.mget(keys)
  return new Map(keys.map((key, i) => [key, values[i]!]))
}

/** Bytes of the mean value. */
async function bytesIn(admin: Redis, namespace: string): Promise<number> {
  const keys = await keysIn(admin, namespace)
  return sum(await Promise.all(keys.map((key) => admin.strlen(key)))) / keys.length
}
