import { FenceError } from 'model-cache'
import type { FeatureFlags, Prisma } from '#prisma/client/client.js'
import { flagId, flagOf, FLAGS, flagsNames, hotRowsOf, isByHand, lookupOfFlags, readableBy } from '../rows.ts'
import type { RaisedFlag } from './databases/pod-database.ts'
import { UnknownEnd } from './databases/pod-driver.ts'
import { type FlagCache, readLookup } from './reader.ts'
import type { PodWork } from './settings.ts'
import { RollBack, type Writing, type Written } from './writer.ts'

interface FlagWork extends PodWork {
  /** Empty in a worker. */
  readonly caches: ReadonlyMap<(typeof flagsNames)[number], FlagCache>
  readonly rows: number
}

/** Part of the reads of the cache that all pods have which are queries of Prisma that it answers. */
const READ_BY_PRISMA = 0.3
/** Part of the writes that go through Prisma's extension. */
const WRITTEN_BY_PRISMA = 0.4

/** Random reads and writes of flags, concurrently. */
export function workOnFlags(work: FlagWork): void {
  const { caches, database, isPlain, loops, onRead, prisma, random, rows, writer } = work

  async function read(): Promise<void> {
    const [name, cache] = random.pick([...caches])
    const keys = pick(random.integer(1, 12), readableBy(name))
    const byPrisma = name === flagsNames[0] && random.chance(READ_BY_PRISMA)
    onRead(...(await readLookup(cache, lookupOfFlags(name), keys, byPrisma ? query : undefined)))
  }

  async function query(keys: readonly unknown[]): Promise<(FeatureFlags | null)[][]> {
    const ids = keys as string[]
    if (ids.length === 1) return [[await prisma.featureFlags.findUnique({ where: { id: ids[0]! } })]]
    const found = await prisma.featureFlags.findMany({ where: { id: { in: ids } } })
    return ids.map((id) => [found.find((row) => row.id === id) ?? null])
  }

  async function write(): Promise<void> {
    const kind = random.next()
    const size = random.chance(0.6) ? 1 : random.integer(2, 5)
    const cache = caches.get(flagsNames[0])
    if (cache && kind < 0.042) {
      const ids = pick(size, isByHand).map(({ id }) => id)
      const invalidate = () => (kind < 0.04 ? cache.invalidate(ids) : cache.invalidateAll())
      return writer.runByHand(async () => writtenOf(await database.raiseDirectly(ids)), invalidate)
    }
    const ids = pick(size).map(({ id }) => id)
    const isUnknown = kind > 0.997
    const rollsBack = random.chance(0.08)
    const byPrisma = random.chance(WRITTEN_BY_PRISMA) && !isUnknown
    if (isPlain) return writer.runPlain(() => raiseWithPrisma(ids, rollsBack))
    return writer.run(ids, (writing) =>
      byPrisma
        ? writer.count(() => raiseWithPrisma(ids, rollsBack))
        : raiseWithSql(writing, ids, isUnknown, rollsBack),
    )
  }

  /** One row by itself, several in a transaction. */
  async function raiseWithPrisma(ids: readonly string[], rollsBack: boolean): Promise<Written> {
    const raiseOne = (client: Prisma.TransactionClient, id: string) =>
      client.featureFlags.update({ where: { id }, data: { revision: { increment: 1 } } })
    if (ids.length === 1 && !rollsBack) return writtenOf([await raiseOne(prisma, ids[0]!)])
    return prisma.$transaction(async (client) => {
      const raised: FeatureFlags[] = []
      // In the order of ids, so that two transactions never wait for each other.
      for (const id of ids.toSorted()) raised.push(await raiseOne(client, id))
      if (rollsBack) throw new RollBack()
      return writtenOf(raised)
    })
  }

  /** In one transaction of SQL, whose rows are fenced by hand. @param isUnknown whether it does not name them to the cache */
  async function raiseWithSql(
    { confirm }: Writing,
    ids: readonly string[],
    isUnknown: boolean,
    rollsBack: boolean,
  ): Promise<Written> {
    const transaction = await database.begin()
    const unit = writer.writes.begin()
    let end: 'known' | 'unknown' = 'known'
    let isBroken = false
    try {
      const written = writtenOf(await transaction.raise(ids))
      if (isUnknown) unit.markAllWritten(FLAGS, 'unknown')
      else
        unit.markWritten(
          FLAGS,
          ids.map((id) => ({ id })),
        )
      await unit.fence()
      if (rollsBack) throw new RollBack()
      await transaction.commit()
      confirm(written)
      return written
    } catch (error) {
      // A failed connection may still be executing the statement.
      if (error instanceof UnknownEnd) end = 'unknown'
      else await transaction.rollback()
      isBroken = !(error instanceof RollBack || error instanceof FenceError)
      throw error
    } finally {
      transaction.release(isBroken)
      await unit.end(end)
    }
  }

  /** Different rows. */
  function pick(count: number, isFit: (row: number) => boolean = () => true): { id: string }[] {
    const picked = new Set<number>()
    while (picked.size < count) {
      const row = random.integer(0, (random.chance(0.5) ? hotRowsOf(rows) : rows) - 1)
      if (isFit(row)) picked.add(row)
    }
    return Array.from(picked, (row) => ({ id: flagId(row) }))
  }

  if (caches.size > 0) loops.start(6, 40, read)
  loops.start(5, 60, write)
}

const writtenOf = (rows: readonly RaisedFlag[]): Written => ({
  written: rows.length,
  versions: rows.map(flagOf).map(({ id, version }) => [id, version] as const),
})
