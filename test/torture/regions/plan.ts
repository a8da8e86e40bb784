/** For how long the fence of a write stands. A short one has an end within a phase. */
export const FENCE_MS = 4_000
/** For how long a region is sure to read its own writes although the standby lacks them: docs/recipes/regions.md. */
export const BRIDGE_MS = 1.5 * FENCE_MS
export const PACE = { rowsPerSecond: 240, rowsPerTransaction: 2, pauseMs: 12 }
