import type { Store } from 'model-cache'
import { eventuallyEqual } from '../../support/eventually.js'
import { isOfWrites, withMessages } from './sabotage.js'

/** Counts the messages of writes that reach a pod, and drops them on request. */
export function newEar() {
  let heard = 0
  const ear = {
    isLosing: false,
    /** Runs a function, and waits until it has caused this many messages. */
    async hears(count: number, run: () => Promise<unknown>): Promise<void> {
      const before = heard
      await run()
      await eventuallyEqual(() => heard, before + count)
    },
    wrap: (store: Store): Store =>
      withMessages(store, {
        subscribe(channel, listener, onLost) {
          const hear = (message: string): void => {
            if (isOfWrites(channel)) heard++
            if (!ear.isLosing) listener(message)
          }
          return store.messages!.subscribe(channel, hear, onLost)
        },
      }),
  }
  return ear
}
