import type { PhaseMeasurements } from './chaos-measurements.ts'

/** Why a phase has failed: something stale, something lost. */
export function problemsOf(mode: string, phase: PhaseMeasurements): string[] {
  const { staleReads, staleOwnReads, backInTime, staleResidue, lostWrites } = phase
  const found: readonly (readonly [number, string])[] = [
    [staleReads, `stale reads, ${staleOwnReads} of them where the row was written`],
    [backInTime, 'reads that went back in time'],
    [staleResidue, 'rows that are stale when all is over'],
    [lostWrites, 'writes that the database has lost'],
  ]
  return found.filter(([count]) => count > 0).map(([count, what]) => `${mode}: ${count} ${what}`)
}
