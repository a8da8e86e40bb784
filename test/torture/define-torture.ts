import {
  type Comparison,
  defineComparison,
  type Run,
  say,
  type Suite,
  table,
  type Variant,
} from './bench/harness.ts'
import type { Defect } from './defects.ts'

/** A defect that was switched on, and whether it was noticed. */
interface Rehearsal {
  /** What was rehearsed. */
  readonly of: string
  readonly defect: Defect
  /** Seconds of work until then; undefined if it was not noticed. */
  readonly noticedAfter?: number | undefined
}

/** A defect is to be noticed in this time. */
const DEADLINE_MS = 30_000

/** One run of a torture. */
export interface TortureRun<Effort = unknown, V extends Variant = Variant> extends Run<Effort, V> {
  /**
   * Shows that the parts that follow would notice what they are there to notice: works with each defect until the judge of the run sees it.
   * The run fails for each that is not noticed.
   *
   * @param rehearseOne switches a defect on, calls {@link untilNoticed}, and switches it off
   */
  rehearse(
    of: string,
    defects: readonly Defect[],
    rehearseOne: (defect: Defect) => Promise<number | undefined>,
  ): Promise<void>
}

/** A comparison of what happens with what never may. */
export interface Torture<Effort, V extends Variant, Measured extends object> extends Omit<
  Comparison<Effort, V, Measured>,
  'workload'
> {
  workload(run: TortureRun<Effort, V>): Promise<Measured>
  /** How often it happened, by what a failed run says of it. */
  never(measured: Measured): Readonly<Record<string, number>>
}

/** Missing in results from before there were any. */
interface Rehearsed {
  readonly rehearsals?: readonly Rehearsal[]
}

/** Makes a suite of a torture: `npm run bench -- NAME`. It fails for anything that never may happen, and if it would not have noticed. */
export function defineTorture<Effort, V extends Variant, Measured extends object>(
  torture: Torture<Effort, V, Measured>,
): Suite<Measured & Rehearsed> {
  return defineComparison<Effort, V, Measured & Rehearsed>({
    ...torture,
    async workload(run) {
      const rehearsals: Rehearsal[] = []
      const measured = await torture.workload({
        ...run,
        async rehearse(of, defects, rehearseOne) {
          for (const defect of defects) {
            const noticedAfter = await rehearseOne(defect)
            rehearsals.push({ of, defect, noticedAfter })
            const when = noticedAfter === undefined ? 'NOT noticed' : `after ${noticedAfter.toFixed(1)} s`
            say(`${of}: ${defect} ${when}`)
          }
        },
      })
      return { ...measured, rehearsals }
    },
    columns: (measured) => [
      ...torture.columns(measured),
      table('Defects that were switched on before, to see that they are noticed', measured.rehearsals ?? [], {
        before: 'of',
        defect: 'defect',
        'noticed after s': ({ noticedAfter }) => noticedAfter ?? 'not noticed',
      }),
    ],
    problems: (measured) => [
      ...Object.entries(torture.never(measured)).flatMap(([what, times]) =>
        times > 0 ? [`${times} ${what}`] : [],
      ),
      ...(torture.problems?.(measured) ?? []),
      ...(measured.rehearsals ?? [])
        .filter(({ noticedAfter }) => noticedAfter === undefined)
        .map(({ defect, of }) => `${of}: nothing notices the defect "${defect}", so it shows nothing`),
    ],
  })
}

/** @param look works for a while, and returns whether the judge has noticed anything */
export async function untilNoticed(look: () => Promise<boolean>): Promise<number | undefined> {
  const start = performance.now()
  while (performance.now() - start < DEADLINE_MS) if (await look()) return (performance.now() - start) / 1_000
  return undefined
}
