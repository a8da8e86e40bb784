import { Backplane } from '../backplane.js'
import type { CatalogueEntry } from '../backend/store.js'
import { modelKeys } from '../format/key-space.js'
import { registerIn, extendAfterMs, listingOf, listingMarginMs } from '../format/register.js'
import type { WrittenNamespace } from '../write/foreign-cache.js'

/**
 * Removes descriptions from the catalogue that no register lists: no process has extended them for as long as anything lives that was
 * stored under them. Otherwise each deployment that changes a cache would have every later write fence what nobody reads.
 */
export class CleanUp {
  readonly #namespace: WrittenNamespace
  #ranAtMs = -Infinity

  constructor(namespace: WrittenNamespace) {
    this.#namespace = namespace
  }

  /** Call it as often as caches are listed or extended: it does something every 30 seconds. Never rejects. */
  async run(): Promise<void> {
    if (performance.now() - this.#ranAtMs < extendAfterMs) return
    this.#ranAtMs = performance.now()
    try {
      const { catalogue } = this.#namespace
      await catalogue.read()
      const byName = Map.groupBy(catalogue.entriesOfOthers, ({ field }) => field.slice(0, field.indexOf(':')))
      for (const [name, entries] of byName) await this.#removeUnlisted(name, entries)
    } catch {
      // The next one tries again.
    }
  }

  /** @param entries as they were before the register is read: a process that describes its cache meanwhile puts its entry again */
  async #removeUnlisted(name: string, entries: readonly CatalogueEntry[]): Promise<void> {
    const { catalogue, consistency, log, namespace, store } = this.#namespace
    const { channel, registerKey } = modelKeys(namespace, name)
    const { nowMs, text } = await store.change(registerKey, { kind: 'expire', markMs: consistency.leaseMs })
    const { listings, sinceMs } = registerIn(text)!
    // A register that was lost does not list running processes until they have read it; they may go on without for the margin.
    if (nowMs - sinceMs <= listingMarginMs) return
    const unlisted = entries.filter(({ field }) => !listings.has(listingOf(field)))
    if (unlisted.length === 0) return
    // A process may be running all the same, if the clock of the server has leapt, and read nothing but its memory.
    const { messages } = store
    if (messages) await new Backplane({ name, channel, messages, log }).publishAll()
    await catalogue.remove(unlisted)
  }
}
