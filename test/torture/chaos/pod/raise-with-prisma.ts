import type { PrismaClient } from '#prisma/client/client.js'
import { machineTime, type Revision, type UnknownEnd, type Write } from './protocol.ts'
import type { Moments, WritePlan } from './raise-revisions.ts'
import { rowOf } from './revisions.ts'
import type { Watch, WatchedWrites } from './watched-writes.ts'

export interface PrismaDependencies {
  /** Extended, with the watched writes. */
  readonly prisma: PrismaClient
  readonly watched: WatchedWrites
}

/**
 * Raises revisions through the extended Prisma client: one row by itself, several in a transaction.
 *
 * @returns null when it was rolled back
 * @throws FenceError, or the error of the database, when that is why it was rolled back
 */
export async function raiseWithPrisma(
  { prisma, watched }: PrismaDependencies,
  { ids, rollsBack }: Omit<WritePlan, 'isUnknown'>,
  { fenced }: Pick<Moments, 'fenced'>,
): Promise<Write | UnknownEnd | null> {
  let isFenced: boolean | undefined
  const watch: Watch = {
    onFenced: (isTaken) => ((isFenced = isTaken && isFenced !== false), fenced(isTaken)),
  }
  const steps = () => ({
    fencedAt: isFenced ? watch.fencedAt : undefined,
    committedAt: watch.endedAt!,
    releasedAt: machineTime(),
    isReleased: watch.isReleased!,
  })
  const raise = async (client: Pick<PrismaClient, 'featureFlags'>, id: string): Promise<Revision> => {
    const data = { revision: { increment: 1 } }
    return [rowOf(id), (await client.featureFlags.update({ where: { id }, data })).revision]
  }
  const raiseAll = async (): Promise<Revision[]> => {
    if (ids.length === 1 && !rollsBack) return [await raise(prisma, ids[0]!)]
    return prisma.$transaction(async (client) => {
      const raised: Revision[] = []
      // In the order of ids, so that two transactions never wait for each other.
      for (const id of ids.toSorted()) raised.push(await raise(client, id))
      if (rollsBack) throw new RollBack()
      return raised
    })
  }
  try {
    const revisions = await watched.watch(watch, raiseAll)
    return { ...steps(), revisions }
  } catch (error) {
    if (error instanceof RollBack) return null
    // Without a fence neither COMMIT nor a single UPDATE has been sent.
    if (watch.end === 'unknown' && watch.fencedAt !== undefined) return { ...steps(), rows: ids.map(rowOf) }
    throw error
  }
}

class RollBack extends Error {}
