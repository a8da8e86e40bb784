/** Random writes beside each other, which end in deadlocks, and whose connections are lost: no cache may have a stale row in the end. */
import { setTimeout } from 'node:timers/promises'
import { copyOf, show } from './show.ts'
import { perform, Run } from './differential.ts'
import type { EqualDatabases } from './equal-databases.ts'
import { WriteGenerator } from './random-write.ts'
import { Random } from './random.ts'

export interface Storm {
  readonly writes: number
  /** How the writes ended: `'written'`, or the code of an error. */
  readonly ends: Readonly<Record<string, number>>
  /** How often connections were lost. */
  readonly losses: number
  /** The first stale row, for people. */
  readonly stale: string | undefined
}

/** How long fences stand in a storm: longer than a write may wait for the locks of others. */
export const stormFenceMs = 2_000
const writers = 4
const writesOfWriter = 10

/** Sends so many writes, in storms of which each has the next seed, up to the first stale row. */
export async function stormWrites(databases: EqualDatabases, seed: number, writes: number): Promise<Storm> {
  const ends: Record<string, number> = {}
  let [count, losses] = [0, 0]
  for (; count < writes; seed++) {
    const random = new Random(seed)
    const run = await untilItWorks(() => Run.begin(databases, random, {}))
    let isOver = false
    const reading = readAll(databases, run, () => isOver)
    const write = async (writer: number): Promise<void> => {
      const own = new Random(seed * writers + writer)
      const generator = new WriteGenerator(own, () => run.snapshot, databases.dialect)
      for (let n = 0; n < writesOfWriter; n++) {
        const end = await perform(databases.extended, copyOf(generator.write())).then(() => 'written', codeOf)
        ends[end] = (ends[end] ?? 0) + 1
      }
    }
    const breaking = async (): Promise<void> => {
      for (let loss = random.below(3); loss > 0; loss--) {
        await setTimeout(random.below(100))
        await databases.breakConnections()
        losses++
      }
    }
    await Promise.all([breaking(), ...Array.from({ length: writers }, (_, writer) => write(writer))])
    isOver = true
    await reading
    count += writers * writesOfWriter
    // At once, and again when no fence stands any more.
    for (const waitMs of random.chance(20) ? [0, stormFenceMs + 100] : [0]) {
      await setTimeout(waitMs)
      const stale = await staleRowAtRest(run)
      if (stale !== undefined) return { writes: count, ends, losses, stale: `seed ${seed}: ${stale}` }
    }
  }
  return { writes: count, ends, losses, stale: undefined }
}

/** A row that is stale, and stays so: a server may commit what it has received after its connection is lost. */
async function staleRowAtRest(run: Run): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const stale = await untilItWorks(() => run.staleRow(true))
    if (stale === undefined || attempt === 3) return stale
    await setTimeout(200)
  }
}

/** Fills the caches while others write. */
async function readAll(databases: EqualDatabases, run: Run, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const found = databases.cached().map(async ({ cache, idFields, model }) => {
      const ids = run.snapshot
        .get(model.name)!
        .filter((row) => idFields.every((field) => row[field] !== null))
        .map((row) =>
          idFields.length === 1
            ? row[idFields[0]!]
            : Object.fromEntries(idFields.map((field) => [field, row[field]])),
        )
      await cache.getMany(ids as never[])
    })
    await Promise.allSettled(found)
    await setTimeout(5)
  }
}

/** Connections that were lost are noticed when they are used. */
async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 20) throw error
      await setTimeout(50)
    }
  }
}

function codeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: string; name?: string }
  return code ?? name ?? show(error)
}
