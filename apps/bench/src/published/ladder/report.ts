import { createHash } from 'node:crypto'

/** A lot of a fundraiser with its bids. */
export interface Line {
  id: string
  lot: string
  name: string
  donorName: string
  category: string
  status: string
  startsAt: Date
  updatedAt: Date
  bidCount: number
  /** Sum of all bids, with two decimals. */
  total: string
  bids: LineBid[]
}

export interface LineBid {
  id: string
  bidderId: string
  amount: string
  source: string
  /** As ISO text. */
  placedAt: string
}

export interface Report {
  readonly id: string
  readonly lines: readonly Line[]
}

/** Returns the lines of a report, in its order. */
export type FindLines = (reportId: string) => Promise<readonly Line[]>

/** How a step makes each of the four parts of a response. */
export interface ReportDependencies {
  readonly findLines: FindLines
  /** Identifies a line. */
  readonly keyOf: (line: Line) => string
  readonly shape: (id: string, lines: readonly Line[]) => Report
  readonly write: (report: Report) => string
}

/** Writes each line once, whatever duplicates joins or merged sources have made. */
export function composeReport({
  findLines,
  keyOf,
  shape,
  write,
}: ReportDependencies): (id: string) => Promise<string> {
  return async (id) => {
    const byKey = new Map<string, Line>()
    for (const line of await findLines(id)) byKey.set(keyOf(line), line)
    return write(shape(id, [...byKey.values()]))
  }
}

export const hashOf = (line: Line): string => createHash('sha256').update(JSON.stringify(line)).digest('hex')
export const idOf = (line: Line): string => line.id

/** Copies every object, and the list with each line. */
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

/** Names the fields of the response. */
export const byMapping = (id: string, lines: readonly Line[]): Report => ({ id, lines: lines.map(mapLine) })

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
