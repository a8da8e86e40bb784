import { AsyncLocalStorage } from 'node:async_hooks'
import type { CacheObserver, ModelObserver } from 'model-cache'

/** Tells whether the store took what a piece of work had to say to it: fences and settles are never refused aloud. */
export class ToldStore {
  readonly #work = new AsyncLocalStorage<{ isRefused: boolean }>()
  readonly observer: CacheObserver

  /** @param count told of reads and fills, by a word for each kind */
  constructor(count: (name: string, times: number) => void) {
    const told: Partial<ModelObserver> = {
      reads: (layer, outcome, times) => count(`${layer} ${outcome}`, times),
      fills: (outcome, times) => count(`fill ${outcome}`, times),
      fences: (outcome) => {
        const work = this.#work.getStore()
        if (work && outcome === 'store_error') work.isRefused = true
      },
    }
    const nothing = (): void => {}
    const model = new Proxy(told, { get: (known, name: keyof ModelObserver) => known[name] ?? nothing })
    this.observer = { forModel: () => model as ModelObserver, storeChanged: nothing }
  }

  /** @returns whether the store took all of it */
  async takes(work: () => Promise<void>): Promise<boolean> {
    const told = { isRefused: false }
    await this.#work.run(told, work)
    return !told.isRefused
  }
}
