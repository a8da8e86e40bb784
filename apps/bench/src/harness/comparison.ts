import type { Section } from './section.ts'
import { higher, lower, type Figure, type Figures, type RunOptions } from './figure.ts'
import { type Goals, goalTexts, missedGoals, type Reached } from './goals.ts'

/** One of the things that are compared. */
export interface Variant {
  readonly name: string
  /** Of several, which `--only` chooses together. */
  readonly group?: string
  /** What to know before comparing. */
  readonly note?: string
  /** Whether it is what others use instead of this library. */
  readonly isPeer?: boolean
}

/** A server, client or process. */
type Closable = { close(): unknown } | { stop(): unknown }

/** One run of a comparison. */
export interface Run<Effort = unknown, V extends Variant = Variant> extends RunOptions {
  /** That of a full or of a quick run. */
  readonly effort: Effort
  /** The variants that `--only` names; all when it names none. */
  readonly chosen: readonly V[]
  /** Waits for what the run uses, and closes it after the run, whether that succeeds or not. */
  use<T extends Closable>(opening: T | Promise<T>): Promise<T>
}

/** A question, the variants that are measured for it, and what the measurements say. */
export interface Comparison<Effort, V extends Variant, Measured extends object> {
  readonly name: string
  readonly question: string
  /** Whether `compare` runs it by default: its quick run is short and repeats well. */
  readonly isSteady?: boolean
  /** Packages whose versions belong in the result. */
  readonly packages: readonly string[]
  readonly full: Effort
  /** A short, noisy run that shows that the comparison works. */
  readonly quick: Effort
  /** How a message names what `--only` chooses from, and all of these; as a function where they need the build. */
  readonly variants?: readonly [kind: string, all: readonly V[] | (() => Promise<readonly V[]>)]
  /**
   * Checks what each variant returns, then measures them in turn. Returns plain JSON. Writes progress to stderr and nothing to stdout.
   * Imports the library, which has been built by then.
   */
  workload(run: Run<Effort, V>): Promise<Measured>
  /** Columns of the tables and charts of a stored result, for terminal, Markdown and HTML. Those without rows were not measured, and are left out. */
  columns(measured: Measured): readonly Section[]
  /** What the measurements of a run with all variants say, in one sentence for docs/benchmarks.md. */
  conclusion(measured: Measured): string
  /** Figures of README, with their units. */
  headlines?(measured: Measured): Readonly<Record<string, string>>
  /** The dozen numbers that `compare` follows from revision to revision, by name. */
  figures(measured: Measured): Figures
  /** What figures of `summary` have to reach in a full run. A measurement with `intervals` says where a run is too noisy to tell. */
  readonly goals?: Goals
  /** Other reasons why a run fails. */
  problems?(measured: Measured): readonly string[]
}

/** What commands run and show: `npm run bench -- NAME`. */
export interface Suite<Measured extends object = object> extends Omit<
  Comparison<never, never, Measured>,
  'full' | 'quick' | 'variants' | 'workload' | 'goals' | 'problems'
> {
  /** Returns plain JSON. */
  measure(options: RunOptions): Promise<Measured>
  /** Reasons why the run fails, with exit code 1. */
  problems(measured: Measured, options: RunOptions): readonly string[]
  /** What the run shows of each goal, in sentences. */
  goalTexts(measured: Measured, tookSeconds: number, options: RunOptions): readonly string[]
}

/** Makes a suite of a comparison. */
export function defineComparison<Effort, V extends Variant, Measured extends object>(
  comparison: Comparison<Effort, V, Measured>,
): Suite<Measured> {
  const { variants: [kind, all] = ['variant', []], goals = {} } = comparison
  return {
    ...comparison,
    columns: (measured) =>
      comparison.columns(measured).filter(({ table, text = [] }) => (table?.rows ?? text).length > 0),
    async measure(options: RunOptions): Promise<Measured> {
      const opened: Closable[] = []
      try {
        return await comparison.workload({
          ...options,
          effort: options.quick ? comparison.quick : comparison.full,
          chosen: choose(kind, typeof all === 'function' ? await all() : all, options.only),
          async use(opening) {
            const one = await opening
            opened.push(one)
            return one
          },
        })
      } finally {
        for (const one of opened.toReversed()) await ('close' in one ? one.close() : one.stop())
      }
    },
    problems: (measured: Measured, { quick }: RunOptions) => [
      ...(comparison.problems?.(measured) ?? []),
      ...(quick ? [] : missedGoals(measured as Reached, goals)),
    ],
    goalTexts: (measured: Measured, tookSeconds: number, { quick }: RunOptions) =>
      goalTexts(measured as Reached, goals, tookSeconds, quick),
  }
}

/** Picks what `--only` names; all when it names none. @throws when a name is unknown */
export function choose<V extends Pick<Variant, 'name' | 'group'>>(
  kind: string,
  all: readonly V[],
  only: readonly string[],
): readonly V[] {
  const namesOf = ({ name, group }: V) => (group === undefined ? [name] : [name, group])
  const isNamed = (one: V, given: string): boolean =>
    namesOf(one).some((known) => known.toLowerCase() === given.toLowerCase())
  const unknown = only.find((given) => !all.some((one) => isNamed(one, given)))
  if (unknown !== undefined) {
    const known = new Set(all.flatMap(namesOf))
    throw new Error(`There is no ${kind} "${unknown}", only ${[...known].join(', ')}.`)
  }
  return only.length === 0 ? all : all.filter((one) => only.some((given) => isNamed(one, given)))
}

/** A field of the row or a function of it, its unit, and whether more of it is better. */
type Measure<Row> = readonly [of: keyof Row | ((row: Row) => number), unit: string, better?: 'higher']

/** Figures of rows, named by the row and the name of the measure: `storm: CPU`. */
export function figuresOf<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  measures: Readonly<Record<string, Measure<Row>>>,
): Figures {
  const figureOf = (row: Row, [of, unit, better]: Measure<Row>): Figure =>
    (better === 'higher' ? higher : lower)(typeof of === 'function' ? of(row) : (row[of] as number), unit)
  return Object.fromEntries(
    rows.flatMap((row) =>
      Object.entries(measures).map(([suffix, measure]) => [nameOf(row) + suffix, figureOf(row, measure)]),
    ),
  )
}

/** By name, as a result stores what to know of its variants. */
export const notesOf = (variants: readonly Variant[]): Readonly<Record<string, string>> =>
  Object.fromEntries(variants.flatMap(({ name, note }) => (note === undefined ? [] : [[name, note]])))
