import { say } from './bench/harness.ts'
import type { Defect } from './defects.ts'

/** A defect that was switched on, and whether it was noticed. */
export interface Rehearsal {
  /** What was rehearsed. */
  readonly of: string
  readonly defect: Defect
  /** Seconds of work until then; undefined if it was not noticed. */
  readonly noticedAfter?: number | undefined
}

/** A defect is to be noticed in this time. */
const DEADLINE_MS = 30_000

/**
 * Shows that a run notices what it is there to notice, before it counts: works with each defect until the judge of the run sees it.
 *
 * @param rehearseOne switches a defect on, calls {@link untilNoticed}, and switches it off
 */
export async function rehearse(
  of: string,
  defects: readonly Defect[],
  rehearseOne: (defect: Defect) => Promise<number | undefined>,
): Promise<readonly Rehearsal[]> {
  const rehearsals: Rehearsal[] = []
  for (const defect of defects) {
    const noticedAfter = await rehearseOne(defect)
    rehearsals.push({ of, defect, noticedAfter })
    say(
      `${of}: ${defect} ${noticedAfter === undefined ? 'NOT noticed' : `after ${noticedAfter.toFixed(1)} s`}`,
    )
  }
  return rehearsals
}

/** @param look works for a while, and returns whether the judge has noticed anything */
export async function untilNoticed(look: () => Promise<boolean>): Promise<number | undefined> {
  const start = performance.now()
  while (performance.now() - start < DEADLINE_MS) if (await look()) return (performance.now() - start) / 1_000
  return undefined
}
