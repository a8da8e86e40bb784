import type { AuctionItem } from '#prisma/client/client.js'

export const DESIGN_NAMES = ['v1', 'v2', 'model-cache'] as const

export type DesignName = (typeof DESIGN_NAMES)[number]

/** A way to cache lots. */
export interface BurstDesign {
  readonly name: DesignName
  /** Stores lots, so that the reads of the burst are hits. */
  fill(lots: readonly AuctionItem[]): Promise<void>
  /** Reads one lot, as a resolver does. */
  get(id: string): Promise<unknown>
}
