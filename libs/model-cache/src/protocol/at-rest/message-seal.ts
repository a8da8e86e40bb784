import type { Encryption } from './encryption.js'
import type { Messages } from '../backend/store.js'

/** Begins the text of an encrypted message. No other message between processes begins with it. */
const mark = '$'

/** Encrypts what processes tell each other of rows. */
export class MessageSeal {
  readonly #encryption: Encryption

  constructor(encryption: Encryption) {
    this.#encryption = encryption
  }

  /** @param context what the message belongs to: its channel, its publisher and its number */
  close(text: string, context: string): string {
    return mark + this.#encryption.encrypt(text, Buffer.from(context)).toString('base64')
  }

  /** Returns the text of a message; undefined for an encrypted one that does not open. Others are as they are. */
  open(text: string, context: string): string | undefined {
    if (!isSealed(text)) return text
    const opened = this.#encryption.decrypt(Buffer.from(text.slice(1), 'base64'), Buffer.from(context))
    return typeof opened === 'string' ? undefined : opened.toString()
  }
}

/** Whether a message is encrypted. */
export function isSealed(text: string): boolean {
  return text.startsWith(mark)
}

/**
 * Messages whose texts are encrypted, each for its channel. One that does not open is lost; one in clear text, of a process without keys, is
 * received as it is.
 */
export function sealedMessages(
  messages: Messages,
  atRest: { readonly messages: MessageSeal | undefined },
): Messages {
  /** The opening listeners by channel, so that one that subscribes again is the same. */
  const openers = new Map<string, WeakMap<Listener, Listener>>()
  const openerOf = (channel: string, listener: Listener): Listener => {
    const known = openers.get(channel) ?? new WeakMap<Listener, Listener>()
    openers.set(channel, known)
    const opener =
      known.get(listener) ??
      ((text) => {
        const opened = atRest.messages!.open(text, channel)
        if (opened !== undefined) listener(opened)
      })
    known.set(listener, opener)
    return opener
  }
  return {
    publish: (channel, text) => messages.publish(channel, atRest.messages!.close(text, channel)),
    subscribe: (channel, listener, onLost) =>
      messages.subscribe(channel, openerOf(channel, listener), onLost),
    unsubscribe: (channel, listener) =>
      messages.unsubscribe(channel, listener && openerOf(channel, listener)),
  }
}

type Listener = (message: string) => void
