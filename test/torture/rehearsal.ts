import { type Defect } from './defects.ts'
import { say } from '../../apps/bench/src/harness/progress.ts'

/** A defect that was switched on, and whether it was noticed. */
export interface Rehearsal {
  readonly defect: Defect
  /** Seconds of work until then; undefined if it was not noticed. */
  readonly noticedAfter: number | undefined
}

/** A defect is to be noticed in this time. */
const DEADLINE_MS = 30_000

/**
 * Shows that a run notices what it is there to notice, before it counts: works with each defect until the judge of the run sees it.
 *
 * @param name of what is rehearsed
 * @param rehearseOne switches a defect on, calls {@link untilNoticed}, and switches it off
 */
export async function rehearse(
  name: string,
  defects: readonly Defect[],
  rehearseOne: (defect: Defect) => Promise<number | undefined>,
): Promise<readonly Rehearsal[]> {
  const rehearsals: Rehearsal[] = []
  for (const defect of defects) {
    const rehearsal = { defect, noticedAfter: await rehearseOne(defect) }
    rehearsals.push(rehearsal)
    say(`${name}: ${textOf(rehearsal)}`)
  }
  return rehearsals
}

/** @param look works for a while, and returns whether the judge has noticed anything */
export async function untilNoticed(look: () => Promise<boolean>): Promise<number | undefined> {
  const start = performance.now()
  while (performance.now() - start < DEADLINE_MS) if (await look()) return (performance.now() - start) / 1_000
  return undefined
}

/** Why a run shows nothing. */
export function unnoticedIn(name: string, rehearsals: readonly Rehearsal[]): string[] {
  return rehearsals
    .filter(({ noticedAfter }) => noticedAfter === undefined)
    .map(({ defect }) => `${name}: nothing notices the defect "${defect}", so it shows nothing`)
}

/** @param rehearsals missing in results from before there were any */
export function textOfRehearsals(rehearsals: readonly Rehearsal[] | undefined): string {
  return (rehearsals ?? []).map(textOf).join(', ') || 'none'
}

function textOf({ defect, noticedAfter }: Rehearsal): string {
  return noticedAfter === undefined ? `NOT ${defect}` : `${defect} after ${noticedAfter.toFixed(1)} s`
}
