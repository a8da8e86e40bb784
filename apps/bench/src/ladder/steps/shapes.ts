import type { Line, LineBid } from './line.ts'
import type { Report } from './step.ts'

/** Copies whatever is there, and the list with each line that is added to it. */
export function bySpreading(id: string, lines: readonly Line[]): Report {
  return lines.reduce<Report>(
    (report, line) => {
      const { total, bids, ...lot } = line
      const withTotal = { ...lot, total }
      const withBids = { ...withTotal, bids: bids.map((bid) => ({ ...bid })) }
      return { ...report, lines: [...report.lines, withBids] }
    },
    { id, lines: [] },
  )
}

/** Names what belongs into the answer. */
export function byMapping(id: string, lines: readonly Line[]): Report {
  return { id, lines: lines.map(mapLine) }
}

function mapLine(line: Line): Line {
  return {
    id: line.id,
    lot: line.lot,
    name: line.name,
    donorName: line.donorName,
    category: line.category,
    status: line.status,
    startsAt: line.startsAt,
    updatedAt: line.updatedAt,
    bidCount: line.bidCount,
    total: line.total,
    bids: line.bids.map(mapBid),
  }
}

function mapBid(bid: LineBid): LineBid {
  return {
    id: bid.id,
    bidderId: bid.bidderId,
    amount: bid.amount,
    source: bid.source,
    placedAt: bid.placedAt,
  }
}
