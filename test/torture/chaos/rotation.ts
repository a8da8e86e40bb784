import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PodKind } from './rows.ts'

/** What pods encrypt with, as plain JSON. */
export interface PodKeys {
  readonly keys: readonly { readonly id: string; readonly key: string }[]
  readonly hashKeys: boolean
  /** Whether all values of the store were written with these keys: one that does not open is a finding. */
  readonly opensAll: boolean
}

/** Pods, all of which can be replaced by others that have the keys of now. */
export interface Deployed {
  /** @returns whether all of them were, before the signal aborted */
  replaceAll(signal: AbortSignal): Promise<boolean>
}

/** Milliseconds for which pods store rows, as `times` of rows.ts says. */
const storedMs = 180_000
/** Between two deployments. */
const pauseMs = 500

const newKey = (number: number) => ({ id: `key-${number}`, key: randomBytes(32).toString('base64') })

/** The keys of pods that start, while keys are rotated. */
export class Rotation {
  #keys = [newKey(0)]
  #steps = 0
  #started = 0
  readonly #drop = Promise.withResolvers<void>()
  /** How many keys have been left out, with no pod left that has them. */
  dropped = 0

  /** Whether other pods learn of a key. */
  readonly #isLearned: boolean

  /** @param isLearned whether other pods learn of a key. Otherwise each has one of its own, which is the defect of a rehearsal */
  constructor(isLearned: boolean) {
    this.#isLearned = isLearned
  }

  /** Resolves when the first key has been left out. */
  get dropsFirst(): Promise<void> {
    return this.#drop.promise
  }

  /** Undefined for pods that store in clear text, in the same namespace as the others. */
  keysOf(kind: PodKind): PodKeys | undefined {
    if (!this.#isLearned) return { keys: [newKey(this.#started++)], hashKeys: false, opensAll: true }
    if (kind === 'before') return undefined
    return { keys: this.#keys, hashKeys: kind === 'next', opensAll: this.#keys.length > 1 }
  }

  /** Adds a key, puts it first, and leaves the former one out, again and again, each with a deployment. */
  async run(pods: Deployed, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [former] = this.#keys as [ReturnType<typeof newKey>]
      const next = newKey(++this.#steps)
      for (this.#keys of [[former, next], [next, former], [next]]) {
        if (!(await pods.replaceAll(signal))) return
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
      this.dropped++
      this.#drop.resolve()
      // What was stored with the former key is gone by then, as the pages say.
      await sleep(storedMs, undefined, { signal }).catch(() => {})
    }
  }
}
