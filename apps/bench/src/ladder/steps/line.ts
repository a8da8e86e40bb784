/** A lot of a fundraiser and its bids: a line of the report. */
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
  /** Of all bids, with two decimals. */
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
