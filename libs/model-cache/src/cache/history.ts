import { LRUCache } from 'lru-cache'
import type { Identity } from '../consistency/identity.js'
import type { MissReason } from './observer.js'

/** What happened to a row in this process, at last. Moments are those of `performance.now()`. */
export interface RowHistory {
  readonly miss?: { readonly reason: MissReason; readonly atMs: number }
  /** Fenced, settled or invalidated, here or elsewhere. */
  readonly write?: { readonly atMs: number }
}

/** Rows whose last events are remembered. */
const maxRows = 1_000

/** Remembers why rows were missed and when they were written, for who asks for an explanation. */
export class History {
  readonly #rows = new LRUCache<Identity, RowHistory>({ max: maxRows })

  of(identity: Identity): RowHistory {
    return this.#rows.peek(identity) ?? {}
  }

  missed(identity: Identity, reason: MissReason): void {
    this.#rows.set(identity, { ...this.#rows.peek(identity), miss: { reason, atMs: performance.now() } })
  }

  written(identities: readonly Identity[]): void {
    const write = { atMs: performance.now() }
    for (const identity of identities.slice(-maxRows))
      this.#rows.set(identity, { ...this.#rows.peek(identity), write })
  }
}
