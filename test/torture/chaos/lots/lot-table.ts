import type pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { machineTime } from '../pod/protocol.ts'
import { fundraiserIdOf, type Lot, type LotRow, placeOf } from './lot.ts'

/** The state of a row from one of its committed writes until the next one, as the database has recorded it. */
export interface RecordedVersion {
  readonly id: string
  readonly version: number
  /** Null from its deletion on. An id is never used again. */
  readonly lot: Lot | null
  /** Which transaction of PostgreSQL wrote it. */
  readonly transaction: string
  /** The tag of the write, if its statement changed the row's. */
  readonly tag: string | null
  /** A moment before the statement, by {@link machineTime}. */
  readonly from: number
}

/**
 * PostgreSQL counts the versions of each row, and records them in the transactions that write them: no version is missing, whatever
 * became of its writer.
 */
const TRIGGERS = `
CREATE TABLE IF NOT EXISTS lot_versions (
  id text, version int, transaction xid8, tag text, at float8,
  "fundraiserId" text, lot text, "sortOrder" int, status text,
  PRIMARY KEY (id, version)
);
CREATE OR REPLACE FUNCTION count_lot_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."bidCount" := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE OLD."bidCount" + 1 END;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION record_lot_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at float8 := extract(epoch FROM clock_timestamp()) * 1000;
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO lot_versions (id, version, transaction, at)
    VALUES (OLD.id, OLD."bidCount" + 1, pg_current_xact_id(), at);
    RETURN NULL;
  END IF;
  INSERT INTO lot_versions VALUES (
    NEW.id, NEW."bidCount", pg_current_xact_id(),
    CASE WHEN TG_OP = 'INSERT' OR NEW.label IS DISTINCT FROM OLD.label THEN NEW.label END, at,
    NEW."fundraiserId", NEW.lot, NEW."sortOrder", NEW.status);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER count_version BEFORE INSERT OR UPDATE ON "AuctionItem"
  FOR EACH ROW EXECUTE FUNCTION count_lot_version();
CREATE OR REPLACE TRIGGER record_version AFTER INSERT OR UPDATE OR DELETE ON "AuctionItem"
  FOR EACH ROW EXECUTE FUNCTION record_lot_version();`

/** Lots of each fundraiser at the start. */
const LOTS_EACH = 6

/** Replaces all lots. Their rows have no versions before the first one, which nobody is promised. */
export async function createLots(
  database: pg.Pool,
  prisma: PrismaClient,
  fundraisers: number,
): Promise<void> {
  await database.query('TRUNCATE "AuctionItem", "Fundraiser", "Item" CASCADE')
  await database.query(TRIGGERS)
  await database.query('TRUNCATE lot_versions')
  const { auctionItems, fundraisers: demo, items } = buildDemoRows()
  const numbers = Array.from({ length: fundraisers }, (_, number) => number)
  const data = numbers.map((number) => ({
    ...demo[0]!,
    id: fundraiserIdOf(number),
    slug: fundraiserIdOf(number),
  }))
  await prisma.fundraiser.createMany({ data: data as never })
  await prisma.item.create({ data: items[0]! })
  const lots = numbers.flatMap((number) =>
    Array.from({ length: LOTS_EACH }, (_, lot) => ({
      ...auctionItems[0]!,
      id: `lot-${number}-${lot}`,
      fundraiserId: fundraiserIdOf(number),
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
export async function recordedVersions(database: pg.Pool, aheadMs: number): Promise<RecordedVersion[]> {
  const { rows } = await database.query<Lot & Pick<RecordedVersion, 'transaction' | 'tag'> & { at: number }>(
    `SELECT id, version, transaction::text, tag, at, "fundraiserId", lot, "sortOrder", status
     FROM lot_versions ORDER BY id, version`,
  )
  return rows.map(({ id, version, fundraiserId, lot, sortOrder, status, transaction, tag, at }) => ({
    id,
    version,
    // A column that no lot leaves empty.
    lot: lot === null ? null : { id, version, fundraiserId, lot, sortOrder, status },
    transaction,
    tag,
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
export async function lotVersionsIn(database: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<LotRow>('SELECT id, "bidCount" FROM "AuctionItem"')
  return new Map(rows.map(({ id, bidCount }) => [id, bidCount]))
}
