import type { AuctionItem } from '#prisma/client/client.js'

export const DESIGN_NAMES = ['v1', 'v2', 'model-cache'] as const

export type DesignName = (typeof DESIGN_NAMES)[number]

/** A way to cache lots. */
export interface StormDesign {
  readonly name: DesignName
  /** Stores lots, so that the reads of the storm find them. */
  fill(lots: readonly AuctionItem[]): Promise<void>
  /** One lot, as a resolver asks for it. */
  get(id: string): Promise<unknown>
}
