/** Prisma alone. */
export const PLAIN = 'plain'
export const COPIES = 'copies'
export const L1 = 'l1'
export const RESULTS = 'results'

/** How rows are kept, by the name of the client that reads them. */
export const modes = {
  [COPIES]: {},
  shared: { rows: 'shared' },
  [L1]: { rows: 'shared', l1: { ttl: '10m', maxEntries: 50_000 } },
  /** As copies, and results of queries beside them. */
  [RESULTS]: {},
} as const

export const clientNames = [PLAIN, ...Object.keys(modes)]
