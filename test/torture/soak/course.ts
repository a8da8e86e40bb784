import { slopeOf } from '../bench/harness.ts'
import type { Handles, Holding } from './at-rest.ts'

/** What a process held at rest, from sample to sample. */
export type Course = ReturnType<SoakedProcess['course']>

/** Stored samples of a process, at most. */
const MOST_SAMPLES = 120
/** A slope with its error needs as many. */
export const LEAST_SAMPLES = 3
/** Samples at the end whose fewest handles count: connections come and go. */
const LAST_SAMPLES = 10

/** Samples of one process. */
export class SoakedProcess {
  readonly name: string
  readonly #fromMinute: number
  readonly #measuredFrom: number
  readonly #samples: (Holding & { readonly minutes: number })[] = []

  /**
   * @param fromMinute minute of its start
   * @param measuredFrom minute from which the heap counts: compilers, pools and bounded caches have found their sizes by then
   */
  constructor(name: string, fromMinute: number, measuredFrom: number) {
    this.name = name
    this.#fromMinute = fromMinute
    this.#measuredFrom = measuredFrom
  }

  get last(): Holding | undefined {
    return this.#samples.at(-1)
  }

  get isMeasured(): boolean {
    return this.#measured.length >= LEAST_SAMPLES
  }

  /** @param minutes since the start of the run */
  add(minutes: number, holding: Holding): void {
    this.#samples.push({ minutes, ...holding })
  }

  course() {
    const last = this.#samples.at(-1)!
    const early = this.#samples.filter(({ minutes }) => minutes < this.#measuredFrom)
    const late = this.#measured.slice(-LAST_SAMPLES)
    return {
      name: this.name,
      heap: slopeOf(this.#measured.map(({ heapKb, minutes }) => [minutes, heapKb])),
      fromMinute: this.#fromMinute,
      toMinute: last.minutes,
      /** How long it had run when the heap began to count. */
      warmUpMinutes: this.#measuredFrom - this.#fromMinute,
      heapKb: last.heapKb,
      handlesAtStart: merge(early.length > 0 ? early : this.#samples.slice(0, 1), Math.max),
      handlesAtEnd: merge(late, Math.min),
      samples: thinned(this.#samples, MOST_SAMPLES).map(({ heapKb, minutes }) => ({
        minutes,
        heapKb: Math.round(heapKb),
      })),
    }
  }

  get #measured() {
    return this.#samples.filter(({ minutes }) => minutes >= this.#measuredFrom)
  }
}

/** The most or the fewest handles of each type. */
function merge(samples: readonly Holding[], choose: (...counts: readonly number[]) => number): Handles {
  const types = new Set(samples.flatMap(({ handles }) => Object.keys(handles)))
  const counts = [...types].map(
    (type) => [type, choose(...samples.map(({ handles }) => handles[type] ?? 0))] as const,
  )
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** Every so many of the values, so that no more than `most` are left. */
export const thinned = <T>(values: readonly T[], most: number): readonly T[] =>
  values.filter((_, i) => i % Math.ceil(values.length / most) === 0)
