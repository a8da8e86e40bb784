import type { Pool } from 'pg'
import type { Line, LotIds } from './line.ts'

/** Returns the lines of a report, in its order. */
export type FindLines = (reportId: string) => Promise<readonly Line[]>

// The columns hold UTC without a time zone.
const LOT = `
  lot.id, lot.lot, lot.name, lot."donorName", lot.category, lot.status,
  lot."startsAt" AT TIME ZONE 'UTC' AS "startsAt", lot."updatedAt" AT TIME ZONE 'UTC' AS "updatedAt", lot."bidCount"`
const PLACED_AT = `to_char("placedAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Prepared once per connection. */
interface Query {
  readonly name: string
  readonly text: string
}

const lotsOfReport: Query = {
  name: 'lots of a report',
  text: `
  SELECT ${LOT} FROM "AuctionItem" lot WHERE lot."fundraiserId" = $1 ORDER BY lot."sortOrder", lot.id`,
}
const bidsOfLot: Query = {
  name: 'bids of a lot',
  text: `
  SELECT id, "bidderId", amount, source, ${PLACED_AT} AS "placedAt"
  FROM "AuctionBid" WHERE "auctionItemId" = $1 ORDER BY "placedAt", id`,
}

const lines = (condition: string): string => `
  SELECT ${LOT}, coalesce(sum(bid.amount), 0)::numeric(14, 2)::text AS total,
    coalesce(
      json_agg(
        json_build_object('id', bid.id, 'bidderId', bid."bidderId", 'amount', bid.amount::text, 'source', bid.source,
          'placedAt', ${PLACED_AT})
        ORDER BY bid."placedAt", bid.id
      ) FILTER (WHERE bid.id IS NOT NULL),
      '[]'
    ) AS bids
  FROM "AuctionItem" lot LEFT JOIN "AuctionBid" bid ON bid."auctionItemId" = lot.id
  WHERE ${condition} GROUP BY lot.id ORDER BY lot."sortOrder", lot.id`
const linesOfReport: Query = { name: 'lines of a report', text: lines('lot."fundraiserId" = $1') }
const linesOfIds: Query = { name: 'lines of ids', text: lines('lot.id = ANY ($1)') }
const lotIdsOfReports: Query = {
  name: 'ids of the lots of reports',
  text: `
  SELECT "fundraiserId" AS id, array_agg(id ORDER BY "sortOrder", id) AS "lotIds"
  FROM "AuctionItem" WHERE "fundraiserId" = ANY ($1) GROUP BY "fundraiserId"`,
}

/** One query for the lots, then one for the bids of each, in sequence. */
export const sequentially =
  (pool: Pool): FindLines =>
  async (reportId) => {
    const found: Line[] = []
    for (const lot of await rows<Omit<Line, 'total' | 'bids'>>(pool, lotsOfReport, reportId)) {
      const bids = await rows<Line['bids'][number]>(pool, bidsOfLot, lot.id)
      const total = bids.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(2)
      found.push({ ...lot, total, bids })
    }
    return found
  }

/** One query; the database joins and aggregates the bids. */
export const inOneQuery =
  (pool: Pool): FindLines =>
  (reportId) =>
    rows<Line>(pool, linesOfReport, reportId)

/** Lines by id, in any order. */
export const linesById = (pool: Pool, ids: readonly string[]) => rows<Line>(pool, linesOfIds, ids)

export const lotIdsOf = (pool: Pool, reportIds: readonly string[]) =>
  rows<LotIds>(pool, lotIdsOfReports, reportIds)

async function rows<Row extends object>(pool: Pool, query: Query, parameter: unknown): Promise<Row[]> {
  return (await pool.query<Row>({ ...query, values: [parameter] })).rows
}
