/** What is read, and how: of these dimensions each axis varies one. */
export interface Workload {
  /** Cached, of all models together. */
  readonly rows: number
  readonly models: number
  /** Reads of one tick, of all models together; no row twice. */
  readonly concurrency: number
  /** Bids of a row, each of about 0.1 kB; a lot of 2 kB without. */
  readonly bids?: number
  /** Primaries of a cluster; one server that is none without. */
  readonly nodes?: number
}

/** What the other dimensions are while one is varied. */
export const BASE: Workload = { rows: 10_000, models: 1, concurrency: 1_000 }
