import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Block, BlockWatch } from '@model-cache/event-loop'
import type { StoreEvent } from 'model-cache'
import type { BlockReport, StoreChange } from './report.js'

/** Events that are remembered, at most. */
const maxEvents = 50

/** Remembers the latest events of a process, newest first. */
export class Events {
  readonly #blocks: BlockReport[] = []
  readonly #storeChanges: StoreChange[] = []

  get blocks(): readonly BlockReport[] {
    return this.#blocks
  }

  get storeChanges(): readonly StoreChange[] {
    return this.#storeChanges
  }

  start(watch: BlockWatch): void {
    watch.onBlock((block) => remember(this.#blocks, reportOf(block)))
    subscribe('model-cache:store', this.#onStore)
  }

  stop(): void {
    unsubscribe('model-cache:store', this.#onStore)
  }

  readonly #onStore = (message: unknown): void => {
    const { reason, side, state } = message as StoreEvent
    remember(this.#storeChanges, { at: new Date().toISOString(), side, state, reason })
  }
}

function reportOf({ holder, seconds, stack }: Block): BlockReport {
  return { at: new Date().toISOString(), holder, ms: seconds * 1_000, stack }
}

function remember<Event>(events: Event[], event: Event): void {
  events.unshift(event)
  if (events.length > maxEvents) events.pop()
}
