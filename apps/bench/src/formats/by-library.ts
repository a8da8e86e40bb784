import type { Way } from './format.ts'
import type { FormatResult, FormatsMeasurements } from './formats-measurements.ts'

/** The results of one library, each where it was measured. */
export interface LibraryResults {
  readonly name: string
  readonly untuned?: FormatResult
  /** As one message; row by row for a library that stores rows alone. */
  readonly tuned: FormatResult
  readonly rows?: FormatResult
}

export function byLibrary({ results }: FormatsMeasurements): LibraryResults[] {
  return [...new Set(results.map(({ name }) => name))].map((name) => {
    const inWay = (way: Way) => results.find((result) => result.name === name && result.way === way)
    const untuned = inWay('untuned')
    const rows = inWay('rows')
    return { name, tuned: (inWay('tuned') ?? rows)!, ...(untuned && { untuned }), ...(rows && { rows }) }
  })
}
