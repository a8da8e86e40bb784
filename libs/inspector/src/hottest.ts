import { type HotStatus, maxHottest } from './hot-status.js'
import type { HotIdReport } from './report.js'

/** The ids that all processes together read most. Null if none of them has `l1.hot`. */
export function hottestOf(reports: readonly (HotStatus | null | undefined)[]): readonly HotIdReport[] | null {
  const known = reports.filter((report) => report != null)
  if (known.length === 0) return null
  const all = sumOfRates(known)
  const byId = Map.groupBy(
    known.flatMap(({ hottest }) => hottest),
    ({ id }) => id,
  )
  return [...byId]
    .map(([id, found]) => {
      const readsPerSecond = sumOfRates(found)
      return {
        id,
        readsPerSecond,
        // Within the first second, those of all are unknown.
        share: all === 0 ? 0 : Math.min(1, readsPerSecond / all),
        processes: found.length,
        heldBy: found.filter(({ isHeld }) => isHeld).length,
      }
    })
    .toSorted((one, other) => other.readsPerSecond - one.readsPerSecond)
    .slice(0, maxHottest)
}

const sumOfRates = (all: readonly { readonly readsPerSecond: number }[]): number =>
  all.reduce((sum, { readsPerSecond }) => sum + readsPerSecond, 0)
