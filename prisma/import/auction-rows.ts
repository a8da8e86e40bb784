import type { Prisma } from '#prisma/client/client.js'

/** The rows of a file, in insertion order. */
export interface AuctionRows {
  fundraiser: Prisma.FundraiserCreateManyInput & { id: string }
  users: (Prisma.UserCreateManyInput & { id: string })[]
  items: (Prisma.ItemCreateManyInput & { id: string })[]
  auctionItems: (Prisma.AuctionItemCreateManyInput & { id: string })[]
  auctionBids: (Prisma.AuctionBidCreateManyInput & { id: string })[]
}

/** A part of the file that was skipped. */
export interface Rejection {
  /** `line 17`, or `items[3] (id 383b…)`. */
  where: string
  reason: string
}

export interface ParsedAuction {
  /** `null` if the file has no valid row. */
  rows: AuctionRows | null
  rejections: Rejection[]
}

/** Thrown if a file cannot be imported at all. Nothing was written. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}
