import {
  type Comparison,
  defineComparison,
  type Run,
  type Suite,
  table,
  type Variant,
} from './bench/harness.ts'
import { type Rehearsal, rehearse } from './rehearsal.ts'

/** One run of a torture. */
export interface TortureRun<Effort = unknown, V extends Variant = Variant> extends Run<Effort, V> {
  /** Shows that the parts that follow would notice defects. The run fails for each that is not noticed. */
  rehearse(...rehearsal: Parameters<typeof rehearse>): Promise<void>
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
        rehearse: async (...rehearsal) => void rehearsals.push(...(await rehearse(...rehearsal))),
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
