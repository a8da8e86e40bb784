import type { Line } from './line.ts'

/** One rung: how each of the four parts of an answer is made. */
export interface Step {
  readonly name: string
  /** What it does otherwise than the step before. */
  readonly change: string
  /** Loads what the step needs and nothing of the others. */
  open(environment: StepEnvironment): Promise<(reportId: string) => Promise<string>>
}

export interface StepEnvironment {
  readonly databaseUrl: string
  /** A `redis://` URL. */
  readonly valkeyUrl: string
}

/** The lines of a report, in its order. */
export type FindLines = (reportId: string) => Promise<readonly Line[]>
/** By what two lines are told apart. */
export type KeyOf = (line: Line) => string

/** What the four parts are composed to. */
export interface Report {
  readonly id: string
  readonly lines: readonly Line[]
}

export interface Parts {
  readonly findLines: FindLines
  readonly keyOf: KeyOf
  /** The report as it is told to clients; its lines are not those that it is given. */
  readonly shape: (id: string, lines: readonly Line[]) => Report
  readonly write: (report: Report) => string
}

/** Each line once, whatever joins or merged sources have made of them. */
export function composeReport({ findLines, keyOf, shape, write }: Parts): (id: string) => Promise<string> {
  return async (id) => {
    const byKey = new Map<string, Line>()
    for (const line of await findLines(id)) byKey.set(keyOf(line), line)
    return write(shape(id, [...byKey.values()]))
  }
}
