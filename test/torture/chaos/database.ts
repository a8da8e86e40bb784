import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { machineTime } from '../clock.ts'
import type { Row, Version } from '../history/rows.ts'
import { numbers } from '../users.ts'
import type { ChaosDatabase } from './databases/chaos-database.ts'
import { flagId, fundraiserIds, placeOf } from './rows.ts'

/** Lots of each fundraiser at the start. */
const LOTS_EACH = 6

/** Replaces all rows. They have no versions before the first one, which nobody is promised. */
export async function createRows(
  database: ChaosDatabase,
  counts: { readonly rows: number; readonly fundraisers: number },
): Promise<void> {
  await database.run(database.triggers)
  const tables = ['FeatureFlags', 'AuctionItem', 'Fundraiser', 'Item', 'recorded']
  await database.run(tables.map((table) => `DELETE FROM "${table}";`).join('\n'))
  const { adapter, Client } = database.database
  const prisma = new Client({ adapter })
  const flags = { note: 'x'.repeat(300) }
  await prisma.featureFlags.createMany({
    data: numbers(counts.rows).map((row) => ({ id: flagId(row), revision: 0, flags })),
  })
  const { auctionItems, fundraisers: demo, items } = buildDemoRows()
  const ids = fundraiserIds(counts.fundraisers)
  await prisma.fundraiser.createMany({ data: ids.map((id) => ({ ...demo[0]!, id, slug: id })) as never })
  await prisma.item.create({ data: items[0]! })
  const lots = ids.flatMap((fundraiserId) =>
    numbers(LOTS_EACH).map((lot) => ({
      ...auctionItems[0]!,
      id: `lot-${fundraiserId}-${lot}`,
      fundraiserId,
      itemId: items[0]!.id,
      lot: placeOf(lot),
      sortOrder: lot * 3,
      status: 'open',
      label: null,
    })),
  )
  await prisma.auctionItem.createMany({ data: lots as never })
  await prisma.$disconnect()
}

/** Returns all versions that were committed, those of one row in order. */
export async function recordedVersions(database: ChaosDatabase, aheadMs: number): Promise<Version[]> {
  const rows = await database.rows<
    Pick<Version, 'id' | 'tag'> & {
      readonly version: number | string
      readonly at: number
      readonly fields: string | null
    }
  >('SELECT id, version, tag, at, fields FROM recorded ORDER BY id, version')
  return rows.map(({ at, fields, id, tag, ...recorded }) => {
    const version = Number(recorded.version)
    const row =
      fields === null ? null : { ...(JSON.parse(fields) as Omit<Row, 'id' | 'version'>), id, version }
    return { id, version, tag, row, from: at - aheadMs }
  })
}

/** By how many milliseconds the clock of the database is ahead of {@link machineTime}, at most. */
export async function measureClock(database: ChaosDatabase): Promise<number> {
  let least = Infinity
  for (let sample = 0; sample < 5; sample++) {
    const before = machineTime()
    const [row] = await database.rows<{ at: number | string }>(`SELECT ${database.now} AS at`)
    least = Math.min(least, Number(row!.at) - before)
  }
  return least
}

/** The versions of all rows that exist. */
export async function versionsIn(database: ChaosDatabase): Promise<ReadonlyMap<string, number>> {
  const rows = await database.rows<{ id: string; version: number | string }>(
    'SELECT id, revision + 1 AS version FROM "FeatureFlags" UNION ALL SELECT id, "bidCount" FROM "AuctionItem"',
  )
  return new Map(rows.map(({ id, version }) => [id, Number(version)]))
}
