/** For how long the fence of a write stands. A short one has an end within a phase. */
export const FENCE_MS = 4_000
/**
 * For how long after the return of a write its region is sure to read it although the standby lacks it: docs/recipes/regions.md. It begins
 * when the database has answered, a moment before.
 */
export const BRIDGE_MS = 1.5 * FENCE_MS - 250
export const PACE = { rowsPerSecond: 240, rowsPerTransaction: 2, pauseMs: 12 }
