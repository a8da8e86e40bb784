import type { Messages } from '../backend/store.js'
import type { AtRest } from './at-rest.js'

/**
 * Messages whose texts are encrypted, each for its channel. One that does not open is lost; one in clear text, of a process without keys, is
 * received as it is.
 */
export function sealedMessages(messages: Messages, atRest: Pick<AtRest, 'messages'>): Messages {
  return {
    publish: (channel, text) => messages.publish(channel, atRest.messages!.close(text, channel)),
    subscribe: (channel, listener, onLost) =>
      messages.subscribe(
        channel,
        (text) => {
          const opened = atRest.messages!.open(text, channel)
          if (opened !== undefined) listener(opened)
        },
        onLost,
      ),
    unsubscribe: (channel) => messages.unsubscribe(channel),
  }
}
