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

/** Counts the commands that request one key. */
class WatchingStore extends ValkeyStore {
  watched = ''
  requests = 0

  override getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    if (keys.includes(this.watched)) this.requests++
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
  const open = async (name: string, l1?: 'hot') => {
    const definition = defineLots({ ttl: '2h', ...(l1 && { l1 }) })
    return { name, cache: await use(createModelCache(definition, shared)) }
  }
  const variants = [await open('without L1'), await open("l1: 'hot'", 'hot')] as const
  say(`${rows} rows …`)
  await primeFirst(variants[0].cache, rows, lotAt)
  store.watched = (await variants[0].cache.explain(idAt(0))).key
  const skewed = []
  for (const { cache, name } of variants) {
    say(`${name}: ${seconds} s of skewed reads …`)
    skewed.push({ name, ...(await readSkewed(cache, store, admins, rows, seconds)) })
  }
  const costs = await costsOf(
    variants.map(({ cache, name }) => ({ name, servers: admins, times: 5, run: burstsOf(cache, rows) })),
    { rounds, warmUps: Math.ceil(rounds / 3) },
  )
  const even = costs.map(({ work: { name }, cpuMs, cpuSpread, commands }) => {
    return { name, cpuUs: rounded((1_000 * cpuMs) / BURST), cpuSpread, commands }
  })
  const hot = skewed[1]!
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
    even,
    summary: {
      'commands for the hottest key a second': hot.hottestPerSecond,
      'busiest node to the median': hot.busiestNode,
      'CPU of even reads to that without L1': rounded(even[1]!.cpuUs / even[0]!.cpuUs),
    },
  }
}

/** What a process sends for reads of which a few rows get most. */
async function readSkewed(
  cache: Cache,
  store: WatchingStore,
  admins: readonly Redis[],
  rows: number,
  seconds: number,
) {
  const next = zipf(rows)
  const tick = () => Promise.all(Array.from({ length: READS_PER_TICK }, () => cache.get(idAt(next()))))
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
  const [cpu, beganAtMs] = [cpuTime(), performance.now()]
  const ticks = await readFor(seconds)
  const cpuUs = (1_000 * (cpuTime() - cpu)) / (ticks * READS_PER_TICK)
  const elapsed = (performance.now() - beganAtMs) / 1_000
  const after = await Promise.all(admins.map(commandsOf))
  const commands = after.map((count, i) => count - before[i]!)
  return {
    ticksPerSecond: rounded(ticks / elapsed),
    hottestPerSecond: rounded(store.requests / elapsed, 3),
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
