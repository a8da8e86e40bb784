import type pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { machineTime } from '../clock.ts'
import type { Row, Version } from '../history/rows.ts'
import { fundraiserIds, placeOf } from './rows.ts'

/**
 * PostgreSQL counts the versions of each row, and records them in the transactions that write them: no version is missing, whatever
 * became of its writer.
 */
const TRIGGERS = `
CREATE TABLE IF NOT EXISTS recorded (
  id text, version int, transaction xid8, tag text, at float8, fields jsonb, PRIMARY KEY (id, version)
);
CREATE OR REPLACE FUNCTION count_lot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."bidCount" := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE OLD."bidCount" + 1 END;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION record_lot() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at float8 := extract(epoch FROM clock_timestamp()) * 1000;
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO recorded VALUES (OLD.id, OLD."bidCount" + 1, pg_current_xact_id(), NULL, at, NULL);
    RETURN NULL;
  END IF;
  INSERT INTO recorded VALUES (
    NEW.id, NEW."bidCount", pg_current_xact_id(),
    CASE WHEN TG_OP = 'INSERT' OR NEW.label IS DISTINCT FROM OLD.label THEN NEW.label END, at,
    jsonb_build_object('fundraiserId', NEW."fundraiserId", 'lot', NEW.lot, 'sortOrder', NEW."sortOrder",
      'status', NEW.status));
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION record_flag() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO recorded VALUES (
    NEW.id, NEW.revision + 1, pg_current_xact_id(), NULL, extract(epoch FROM clock_timestamp()) * 1000, '{}');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER count_version BEFORE INSERT OR UPDATE ON "AuctionItem"
  FOR EACH ROW EXECUTE FUNCTION count_lot();
CREATE OR REPLACE TRIGGER record_version AFTER INSERT OR UPDATE OR DELETE ON "AuctionItem"
  FOR EACH ROW EXECUTE FUNCTION record_lot();
CREATE OR REPLACE TRIGGER record_version AFTER INSERT OR UPDATE ON "FeatureFlags"
  FOR EACH ROW EXECUTE FUNCTION record_flag();`

/** Lots of each fundraiser at the start. */
const LOTS_EACH = 6

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

/** Replaces all rows. They have no versions before the first one, which nobody is promised. */
export async function createRows(
  database: pg.Pool,
  prisma: PrismaClient,
  counts: { readonly rows: number; readonly fundraisers: number },
): Promise<void> {
  await database.query('TRUNCATE "FeatureFlags", "AuctionItem", "Fundraiser", "Item" CASCADE')
  await database.query(TRIGGERS)
  await database.query('TRUNCATE recorded')
  await database.query(
    `INSERT INTO "FeatureFlags" (id, revision, flags, "updatedAt")
     SELECT 'row-' || n, 0, jsonb_build_object('note', repeat('x', 300)), now() FROM generate_series(0, $1 - 1) n`,
    [counts.rows],
  )
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
}

/** Returns all versions that were committed, those of one row in order. */
export async function recordedVersions(database: pg.Pool, aheadMs: number): Promise<Version[]> {
  const { rows } = await database.query<
    Pick<Version, 'id' | 'version' | 'transaction' | 'tag'> & {
      readonly at: number
      readonly fields: Omit<Row, 'id' | 'version'> | null
    }
  >('SELECT id, version, transaction::text, tag, at, fields FROM recorded ORDER BY id, version')
  return rows.map(({ at, fields, ...version }) => ({
    ...version,
    row: fields && { ...fields, id: version.id, version: version.version },
    from: at - aheadMs,
  }))
}

/** By how many milliseconds the clock of PostgreSQL is ahead of {@link machineTime}, at most. */
export async function measureClock(database: pg.Pool): Promise<number> {
  let least = Infinity
  for (let sample = 0; sample < 5; sample++) {
    const before = machineTime()
    const { rows } = await database.query<{ at: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
    )
    least = Math.min(least, rows[0]!.at - before)
  }
  return least
}

/** The versions of all rows that exist. */
export async function versionsIn(database: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<{ id: string; version: number }>(
    'SELECT id, revision + 1 AS version FROM "FeatureFlags" UNION ALL SELECT id, "bidCount" FROM "AuctionItem"',
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}
