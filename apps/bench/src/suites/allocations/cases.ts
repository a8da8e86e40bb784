import 'reflect-metadata'
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { NestFactory } from '@nestjs/core'
import { type CacheOf, getModelCacheToken, ModelCacheModule, ModelCacheWrites } from 'model-cache'
import { createCacheMetrics, MemoryStore, type CacheObserver } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { createBareJson } from '../../harness/codecs/bare-json.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { auctionItem, fundraiser, guestUser } from '../../harness/fixtures/models.ts'
import { AT_REST, UNCONFIGURED } from './allocation-case.ts'
import type { AllocationCase, Group, Operation } from './allocation-case.ts'
import {
  countedLots,
  idOf,
  openLots,
  readBarely,
  readNew,
  readOne,
  readsOf,
  readTogether,
  TOGETHER,
  writeLots,
  type LotsOptions,
} from './counted-lots.ts'

/** Part by which counts may differ between runs, by case. */
const TOLERANCES: Readonly<Record<string, number>> = {
  // Each run stores another row, and tables of the store grow now and then.
  'miss and fill': 0.03,
  'as Nest wires it, nobody subscribed': 0.05,
  'as Nest wires it, read channel subscribed': 0.05,
  // One object of 144 bytes, which V8 makes again in some runs and not in others, as the cases before have left it.
  'within a transaction': 0.01,
  'fenced write': 0.01,
  'fenced write of 100 rows, each': 0.001,
}
/** A table that grows, or a turn that ends a moment later, costs one or two objects for all of them. */
const TOLERANCE_TOGETHER = 0.005

const casesOf = (
  group: Group,
  per: number,
  opened: Readonly<Record<string, () => Promise<Operation>>>,
): AllocationCase[] =>
  Object.entries(opened).map(([name, open]) => {
    const tolerance = TOLERANCES[name] ?? (group === 'together' ? TOLERANCE_TOGETHER : 0)
    return { name, group, per, open, tolerance }
  })

const together = `${TOGETHER} at once`
const [observed, written, pressed] = AT_REST

const [bareJson] = createBareJson()

/** One row into and out of its payload, beside bare JSON. */
function codecCasesOf(fixture: Fixture) {
  const [row] = fixture.rows
  const codec = fixture.compile()
  const text = codec.encode(row)
  const plain = bareJson!.take(row)
  const json = JSON.stringify(plain)
  const check = (run: () => unknown, expected: unknown) => async (): Promise<Operation> => {
    assert.deepEqual(run(), expected)
    return { run }
  }
  return casesOf('codec', 1, {
    [`${fixture.name}, decode`]: check(() => codec.decode(text), row),
    [`${fixture.name}, JSON.parse`]: check(() => JSON.parse(json), JSON.parse(json)),
    [`${fixture.name}, encode`]: check(() => codec.encode(row), text),
    [`${fixture.name}, JSON.stringify`]: check(() => JSON.stringify(plain), json),
    [`${fixture.name}, copy`]: check(() => codec.clone(row), row),
  })
}

export const allCases: readonly AllocationCase[] = [
  ...casesOf('alone', 1, {
    'bare path': readBarely,
    'L1 hit, copy': () => readOne(openLots('l1')),
    'L1 hit, shared': () => readOne(openLots('l1Shared')),
    'store hit': () => readOne(openLots('copies')),
    'store hit, shared': () => readOne(openLots('shared')),
    'store hit, no such row': () => readOne(openLots('copies'), 'none-00000000000'),
    'miss and fill': () => readNew(openLots('copies'), 1),
  }),
  ...casesOf('together', TOGETHER, {
    [`L1 hit, copy, ${together}`]: () => readTogether(openLots('l1'), false),
    [`L1 hit, shared, ${together}`]: () => readTogether(openLots('l1Shared'), false),
    [`store hit, ${together}`]: () => readTogether(openLots('copies'), false),
    [`store hit, shared, ${together}`]: () => readTogether(openLots('shared'), false),
    [`same row, copies, ${together}`]: () => readTogether(openLots('copies'), true),
    [`same row, shared, ${together}`]: () => readTogether(openLots('shared'), true),
    [`miss and fill, ${together}`]: () => readNew(openLots('copies'), TOGETHER),
  }),
  // A hit of the store, by what is configured beside it.
  ...casesOf('hook', 1, {
    [UNCONFIGURED]: () => readWith({}),
    [observed]: () => readWith({ observer: silentObserver() }),
    [written]: () => readWith({ writes: new ModelCacheWrites() }),
    [pressed]: () => readWith({ pressure: { value: 0 } }),
    metrics: () => readWith({ observer: createCacheMetrics(new Registry()) }),
    'as Nest wires it, nobody subscribed': () => readInNest(false),
    'as Nest wires it, read channel subscribed': () => readInNest(true),
    'within a transaction': readInTransaction,
  }),
  // What fencing adds to a write, by how many rows it affects.
  ...casesOf('write', 1, { 'fenced write': () => writeLots(1) }),
  ...casesOf('write', TOGETHER, { [`fenced write of ${TOGETHER} rows, each`]: () => writeLots(TOGETHER) }),
  ...casesOf('write', 1, { 'write to no cache': () => writeLots(0) }),
  ...[guestUser, auctionItem, fundraiser].flatMap(codecCasesOf),
]

const readWith = (parts: LotsOptions): Promise<Operation> => readOne(openLots('copies', parts))

/** Not the library's own, which is the default. */
function silentObserver(): CacheObserver {
  const nothing = (): void => {}
  const observer = new Proxy({} as ReturnType<CacheObserver['forModel']>, { get: () => nothing })
  return { forModel: () => observer, storeChanged: nothing }
}

/** Metrics, channels, pressure and writes, as an application has them. */
async function readInNest(isSubscribed: boolean): Promise<Operation> {
  const imports = [
    ModelCacheModule.forRoot({
      store: new MemoryStore(),
      prisma: {},
      registry: new Registry(),
      // Without the watching thread, which would write to the profile of this one.
      eventLoop: { budgetMs: 1_000, resolutionMs: 1_000, nameBlocksFromMs: 0 },
    }),
    ModelCacheModule.forFeature([countedLots]),
  ]
  const root = { module: class Application {}, imports }
  const application = await NestFactory.createApplicationContext(root, { logger: false })
  const cache = application.get<CacheOf<typeof countedLots>>(getModelCacheToken(countedLots))
  const run = await readsOf(cache)
  // From the source, until the row is stored.
  while (!(await cache.explain(idOf(0))).stored.isHit) await run()
  const listener = (): void => {}
  if (isSubscribed) subscribe('model-cache:read', listener)
  return {
    run,
    async close() {
      if (isSubscribed) unsubscribe('model-cache:read', listener)
      await application.close()
    },
  }
}

/** Bypasses the cache. */
async function readInTransaction(): Promise<Operation> {
  const writes = new ModelCacheWrites()
  const cache = openLots('copies', { writes })
  const unit = writes.begin()
  return { run: () => writes.within(unit, {}, () => cache.get(idOf(0))), close: () => cache.close() }
}
