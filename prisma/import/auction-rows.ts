import type { Prisma } from '#prisma/client/client.js'

/** What a file becomes: rows of the demo's models, in the order in which they can be written. */
export interface AuctionRows {
  fundraiser: Prisma.FundraiserCreateManyInput & { id: string }
  users: (Prisma.UserCreateManyInput & { id: string })[]
  items: (Prisma.ItemCreateManyInput & { id: string })[]
  auctionItems: (Prisma.AuctionItemCreateManyInput & { id: string })[]
  auctionBids: (Prisma.AuctionBidCreateManyInput & { id: string })[]
}

/** A part of the file that was left out. */
export interface Rejection {
  /** `line 17`, or `items[3] (id 383b…)`. */
  where: string
  reason: string
}

export interface ParsedAuction {
  /** `null` when no row of the file is usable. */
  rows: AuctionRows | null
  rejections: Rejection[]
}

/** Thrown when a file as a whole cannot be used; nothing was written. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}
