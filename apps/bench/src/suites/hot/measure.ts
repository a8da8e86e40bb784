import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { createModelCache, Slicer, Tick, type ReadThroughCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import type { Run } from '../../harness/comparison.ts'
import { costsOf } from '../../harness/costs.ts'
import { defineLots, emptySource, idAt, lotAt, primeFirst } from '../../harness/fixtures/lot-cache.ts'
import { cpuTime } from '../../harness/processor.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { commandsOf, openCluster } from '../../harness/servers.ts'
import { median, sum } from '../../harness/statistics.ts'

const NODES = 3
const SKEW = 1.1
const TICKS_PER_SECOND = 200
const READS_PER_TICK = 8
/** Rows of the bursts in which no row is read twice. */
const BURST = 500

type Cache = ReadThroughCache<AuctionItem, string>

/** Counts the commands that request one key, and all keys. */
class WatchingStore extends ValkeyStore {
  watched = ''
  requests = 0
  keys = 0

  override getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    if (keys.includes(this.watched)) this.requests++
    this.keys += keys.length
    return super.getManyBytes(keys)
  }
}

export async function measureHot({
  use,
  effort: { rounds, rows, seconds },
}: Run<Record<'rounds' | 'rows' | 'seconds', number>>) {
  const { admins, client, describe } = await use(openCluster(NODES, { enableAutoPipelining: true }))
  const store = await use(new WatchingStore({ client, deadlineMs: 30_000 }))
  await store.connect()
  const shared = { store, source: emptySource, tick: new Tick(), slicer: new Slicer() }
  const open = async (name: string, l1?: 'hot' | { readonly maxEntries: number }) => {
    const definition = defineLots({ ttl: '2h', ...(l1 && { l1 }) })
    return { name, cache: await use(createModelCache(definition, shared)) }
  }
  const without = await open('without L1')
  const hot = await open("l1: 'hot'", 'hot')
  say(`${rows} rows …`)
  await primeFirst(without.cache, rows, lotAt)
  store.watched = (await without.cache.explain(idAt(0))).key
  const measure = async ({ cache, name }: { readonly cache: Cache; readonly name: string }, scanned = 0) => {
    say(`${name}: ${seconds} s of skewed reads${scanned > 0 ? ' and a scan' : ''} …`)
    const read = await readSkewed(cache, store, admins, { rows, seconds, scanned })
    return { name, ...read, held: (await cache.inspected.status()).l1?.rows ?? 0 }
  }
  const skewed = [await measure(without), await measure(hot)]
  // Of the rows that L1 of hot rows needs, and of as many as it has by default.
  const held = skewed[1]!.held
  const plain = [
    await open(`l1 of ${held} rows`, { maxEntries: held }),
    await open('l1 of 1,000 rows', { maxEntries: 1_000 }),
  ]
  const variants = [without, hot, ...plain]
  for (const variant of plain) skewed.push(await measure(variant))
  const scanned = []
  for (const variant of variants) scanned.push(await measure(variant, READS_PER_TICK))
  const costs = await costsOf(
    variants.map(({ cache, name }) => ({ name, servers: admins, times: 5, run: burstsOf(cache, rows) })),
    { rounds, warmUps: Math.ceil(rounds / 3) },
  )
  const even = costs.map(({ work: { name }, cpuMs, cpuSpread, commands }) => {
    return { name, cpuUs: rounded((1_000 * cpuMs) / BURST), cpuSpread, commands }
  })
  const ofHot = skewed[1]!
  return {
    server: await describe(),
    nodes: NODES,
    skew: SKEW,
    rows,
    seconds,
    readsPerSecond: TICKS_PER_SECOND * READS_PER_TICK,
    ticksPerSecond: TICKS_PER_SECOND,
    rounds,
    burst: BURST,
    skewed,
    scanned,
    even,
    summary: {
      'commands for the hottest key a second': ofHot.hottestPerSecond,
      'busiest node to the median': ofHot.busiestNode,
      'CPU of even reads to that without L1': rounded(even[1]!.cpuUs / even[0]!.cpuUs),
    },
  }
}

/** What a process sends for reads of which a few rows get most, beside a scan of so many rows a tick. */
async function readSkewed(
  cache: Cache,
  store: WatchingStore,
  admins: readonly Redis[],
  { rows, seconds, scanned }: Record<'rows' | 'seconds' | 'scanned', number>,
) {
  const next = zipf(rows)
  let place = rows - 1
  const nextOfScan = () => (place = (place + rows - 1) % rows)
  const tick = () =>
    Promise.all([
      ...Array.from({ length: READS_PER_TICK }, () => cache.get(idAt(next()))),
      ...Array.from({ length: scanned }, () => cache.get(idAt(nextOfScan()))),
    ])
  /** Returns how many ticks there were. */
  const readFor = async (duration: number): Promise<number> => {
    const beganAtMs = performance.now()
    let ticks = 0
    for (; performance.now() - beganAtMs < 1_000 * duration; ticks++) {
      await tick()
      await sleep(Math.max(0, (1_000 * (ticks + 1)) / TICKS_PER_SECOND - (performance.now() - beganAtMs)))
    }
    return ticks
  }
  // Until the hot rows are known.
  await readFor(2)
  const before = await Promise.all(admins.map(commandsOf))
  store.requests = 0
  store.keys = 0
  const [cpu, beganAtMs] = [cpuTime(), performance.now()]
  const ticks = await readFor(seconds)
  const cpuUs = (1_000 * (cpuTime() - cpu)) / (ticks * (READS_PER_TICK + scanned))
  const elapsed = (performance.now() - beganAtMs) / 1_000
  const after = await Promise.all(admins.map(commandsOf))
  const commands = after.map((count, i) => count - before[i]!)
  return {
    ticksPerSecond: rounded(ticks / elapsed),
    hottestPerSecond: rounded(store.requests / elapsed, 3),
    keysPerSecond: rounded(store.keys / elapsed),
    commandsPerSecond: rounded(sum(commands) / elapsed),
    busiestNode: rounded(Math.max(...commands) / median(commands), 3),
    cpuUs: rounded(cpuUs),
  }
}

/** Bursts of different rows, each as likely as the others. */
function burstsOf(cache: Cache, rows: number): () => Promise<unknown> {
  const random = createRandom('model-cache bench hot, even')
  return () => {
    const places = new Set<number>()
    while (places.size < BURST) places.add(random.integer(0, rows - 1))
    return Promise.all(Array.from(places, (place) => cache.get(idAt(place))))
  }
}

/** Places of rows, of which the n-th is read n ^ skew times less often than the first. */
function zipf(rows: number): () => number {
  const random = createRandom('model-cache bench hot')
  const upTo = new Float64Array(rows)
  let sum = 0
  for (let place = 0; place < rows; place++) upTo[place] = sum += 1 / (place + 1) ** SKEW
  return () => {
    const sought = random.next() * sum
    let [low, high] = [0, rows - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (upTo[middle]! < sought) low = middle + 1
      else high = middle
    }
    return low
  }
}
