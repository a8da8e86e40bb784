import { randomId } from '../format/token.js'
import type { CatalogueAnswer, CatalogueEntry, CatalogueRequest } from './store.js'

/** The catalogue of a {@link MemoryStore}, which is never lost. Does what lua/catalogue.lua does. */
export class MemoryCatalogue {
  readonly epoch = randomId()
  readonly #entries = new Map<string, CatalogueEntry>()
  #changes = 0
  #isWritten = false

  ask({ known, isWriter, put, remove = [] }: CatalogueRequest, nowMs: number): CatalogueAnswer {
    for (const { field, putMs } of remove) {
      if (this.#entries.get(field)?.putMs !== putMs) continue
      this.#entries.delete(field)
      this.#changes++
    }
    for (const [field, text] of put ?? []) {
      const existing = this.#entries.get(field)
      if (!existing) this.#changes++
      const addedMs = existing?.addedMs ?? (this.#isWritten ? nowMs : 0)
      this.#entries.set(field, { field, text, addedMs, putMs: Math.max(nowMs, (existing?.putMs ?? 0) + 1) })
    }
    if (isWriter && (known === '' || known.startsWith(`${this.epoch}.`))) this.#isWritten = true
    const version = `${this.epoch}.${this.#changes}`
    const isKnown = version === known && remove.length === 0
    const entries = isKnown ? undefined : [...this.#entries.values()]
    return { epoch: this.epoch, version, nowMs, entries }
  }
}
