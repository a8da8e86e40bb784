import type { Announcement, Messages, RegisterScope } from './backend/store.js'
import type { AtRest } from './at-rest/at-rest.js'
import { isSealed } from './at-rest/message-seal.js'
import type { OperatorLog } from './operator-log.js'
import type { RowId } from './format/row-id.js'
import { isOwnToken, newToken, randomId } from './format/token.js'

/** How a write became known: to the client that made it, or from the log of the database. */
export type WriteSource = 'client' | 'log'

export interface BackplaneOptions {
  /** The cache's name, for messages. */
  readonly name: string
  readonly messages: Messages
  /** Has the model in braces, as in keys. */
  readonly channel: string
  /** @default what others write does not matter: it only announces */
  readonly listener?: BackplaneListener
  readonly log: OperatorLog
  /** Encrypts the ids in messages. @default they are sent as they are */
  readonly atRest?: Pick<AtRest, 'messages'> | undefined
}

/** Receives the writes of other processes. */
export interface BackplaneListener {
  /** Called before and after another process writes these rows, or has learnt of it. */
  onRows(rows: readonly RowId[], source: WriteSource): void
  /** Called when any row may have been written. */
  onAll(): void
  /** Called when any row may have been created. */
  onNotFound(): void
}

/** Messages whose order is that of their numbers. */
interface Sequence {
  readonly publisher: string
  sent: number
}

/** How often the process checks that it receives messages, by sending one to itself. */
const heartbeatMs = 1_000

/** Rows of one announcement, at most. */
export const maxRowsPerMessage = 1_000

/**
 * Announces writes to other processes and receives theirs, so that each process can invalidate rows in its memory.
 *
 * Messages are numbered; a gap means that some were lost. So does a lost connection, or a missing heartbeat, which the process sends
 * to itself over the same channel and connection. From then until the next heartbeat, nothing in memory may be used: {@link isUp}
 * turns false at most two seconds after the last heartbeat. It follows the clock, so that a process which was suspended does not trust
 * its memory when it resumes.
 */
export class Backplane {
  readonly #options: BackplaneOptions
  readonly #publisher = randomId()
  readonly #ownChannel: string
  /** The last message number of each publisher. */
  readonly #received = new Map<string, number>()
  /** Messages that replicas acknowledge have numbers of their own: they are sent over another connection, which is blocked meanwhile. */
  readonly #sequences: { readonly direct: Sequence; readonly acknowledged: Sequence }
  #isForbidden = false
  #timer: NodeJS.Timeout | undefined
  #heartbeat = ''
  #heartbeatAtMs = -Infinity
  #wasUp: boolean | undefined

  constructor(options: BackplaneOptions) {
    this.#options = options
    this.#sequences = {
      direct: { publisher: this.#publisher, sent: 0 },
      acknowledged: { publisher: `${this.#publisher}+`, sent: 0 },
    }
    this.#ownChannel = `${options.channel}:${this.#publisher}`
  }

  /** Whether the process has received all messages until a moment ago. */
  get isUp(): boolean {
    return performance.now() - this.#heartbeatAtMs < 2 * heartbeatMs
  }

  get isListening(): boolean {
    return this.#timer !== undefined
  }

  /** Starts listening. Does not keep the process alive. */
  start(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => void this.#sendHeartbeat(), heartbeatMs).unref()
    void this.#sendHeartbeat()
  }

  async stop(): Promise<void> {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#heartbeatAtMs = -Infinity
    const { channel, messages } = this.#options
    const ends = [messages.unsubscribe(channel, this.#receive), messages.unsubscribe(this.#ownChannel)]
    await Promise.all(ends.map((end) => end.catch(() => {})))
  }

  /**
   * What tells other processes of rows, {@link maxRowsPerMessage} at most. It gets its number when its message is first read, as commands are
   * sent in another order than they are made: publish messages in the order in which they were read.
   *
   * @param replicas how many have to acknowledge the command that publishes it
   */
  announcementOf(rows: readonly RowId[], source: WriteSource, replicas = 0): Announcement {
    const text = (context: string): string =>
      this.#sealed(markOf[source] + JSON.stringify(rows.map(toJson)), context)
    return this.#announcementOf(text, replicas)
  }

  /** Encrypts a message. While the keys are being fetched, it says that any row may have changed instead. */
  #sealed(text: string, context: string): string {
    if (!this.#options.atRest) return text
    return this.#options.atRest.messages?.close(text, context) ?? textOf.all
  }

  /** What an encrypted message belongs to, so that it opens nowhere else. */
  #contextOf(publisher: string, number: number | string): string {
    return `${this.#options.channel};${publisher};${number}`
  }

  /** Returns the announcement of unknown rows, as {@link announcementOf} does of known ones. */
  announcementOfAll(scope: RegisterScope, replicas = 0): Announcement {
    return this.#announcementOf(() => textOf[scope], replicas)
  }

  #announcementOf(textIn: (context: string) => string, replicas: number): Announcement {
    const sequence = replicas > 0 ? this.#sequences.acknowledged : this.#sequences.direct
    const next = (): string => {
      const { publisher } = sequence
      const number = ++sequence.sent
      return `${publisher};${number};${textIn(this.#contextOf(publisher, number))}`
    }
    let read: string | undefined
    return {
      channel: this.#options.channel,
      get message() {
        return (read ??= next())
      },
    }
  }

  /**
   * Announces that any row may have been written.
   *
   * @throws StoreError
   */
  async publishAll(): Promise<void> {
    const { channel, message } = this.announcementOfAll('all')
    try {
      await this.#options.messages.publish(channel, message)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'E_STORE_FORBIDDEN') throw error
      this.warnOfForbidden()
    }
  }

  /**
   * Warns, once, that the store does not permit to publish. Retrying would not help. Other processes with the same permissions receive no
   * heartbeat either, and so bypass their L1.
   */
  warnOfForbidden(): void {
    if (!this.#isForbidden) {
      this.#options.log.warn(
        `ModelCache "${this.#options.name}": the store does not allow this process to publish on ${this.#options.channel}. Other processes do not learn of its ` +
          'writes, so rows in their memory (`l1`) may be outdated until their ttl ends. Grant its user access to the channel.',
      )
    }
    this.#isForbidden = true
  }

  /** Publishes a heartbeat to itself. Subscribes again if the last one has not arrived. */
  async #sendHeartbeat(): Promise<void> {
    try {
      if (!this.isUp) {
        this.#logChange(false)
        await this.#options.messages.subscribe(this.#options.channel, this.#receive, this.#lose)
        if (!this.isListening) return
        await this.#options.messages.subscribe(this.#ownChannel, this.#receiveHeartbeat, this.#lose)
        if (!this.isListening) return
      }
      this.#heartbeat = newToken()
      await this.#options.messages.publish(this.#ownChannel, this.#heartbeat)
    } catch {
      // The missing heartbeat already turns `isUp` false.
    }
  }

  /** Messages were lost, however soon the next ones arrive. */
  readonly #lose = (): void => {
    // A heartbeat that was sent before does not count.
    this.#heartbeat = ''
    this.#heartbeatAtMs = -Infinity
    if (this.#timer) this.#logChange(false)
  }

  readonly #receiveHeartbeat = (message: string): void => {
    if (message !== this.#heartbeat || !isOwnToken(message)) return
    // Messages until now may have been lost.
    if (!this.isUp) this.#options.listener?.onAll()
    this.#heartbeatAtMs = performance.now()
    this.#logChange(true)
  }

  readonly #receive = (message: string): void => {
    const { atRest, listener } = this.#options
    const [publisher = '', number = '', sent = ''] = split(message)
    const { acknowledged, direct } = this.#sequences
    if (publisher === direct.publisher || publisher === acknowledged.publisher) return
    // A new publisher whose number is not 1 has sent messages that this process did not receive.
    const last = this.#received.get(publisher) ?? 0
    const isGap = Number(number) > last + 1
    if (Number(number) > last) this.#received.set(publisher, Number(number))
    if (this.#received.size > maxPublishers) this.#received.clear()
    // Without its key, any row may have changed.
    const text = isSealed(sent)
      ? (atRest?.messages?.open(sent, this.#contextOf(publisher, number)) ?? textOf.all)
      : sent
    if (!isGap && text === textOf.existence) return listener?.onNotFound()
    const source = text.startsWith(markOf.log) ? 'log' : 'client'
    const rows = isGap ? undefined : rowsIn(text.slice(markOf[source].length))
    if (rows) listener?.onRows(rows, source)
    else listener?.onAll()
  }

  #logChange(isUp: boolean): void {
    if (this.#wasUp === isUp || (this.#wasUp === undefined && !isUp)) return
    if (isUp && this.#wasUp === false)
      this.#options.log.info(
        `ModelCache "${this.#options.name}": receives the writes of other processes again; L1 is in use.`,
      )
    if (!isUp) {
      this.#options.log.warn(
        `ModelCache "${this.#options.name}": does not receive the writes of other processes. Until it does, reads bypass L1 and go to the store.`,
      )
    }
    this.#wasUp = isUp
  }
}

/** The messages for unknown rows. */
const textOf = { all: '*', existence: '-' } as const

/** Begins the messages for rows. */
const markOf = { client: '', log: '~' } as const

/** Maximum number of processes whose message numbers are kept; processes come and go. */
const maxPublishers = 10_000

function split(message: string): string[] {
  const first = message.indexOf(';')
  const second = message.indexOf(';', first + 1)
  return [message.slice(0, first), message.slice(first + 1, second), message.slice(second + 1)]
}

/** JSON has no bigints, so they are lists of one string. */
type JsonRowId = string | number | [string]

function toJson(rowId: RowId): JsonRowId {
  return typeof rowId === 'bigint' ? [String(rowId)] : rowId
}

/** The rows of a message; undefined if it stands for all rows, or no process of this version publishes it. */
function rowsIn(text: string): RowId[] | undefined {
  if (text === textOf.all) return undefined
  try {
    return (JSON.parse(text) as unknown[]).map(fromJson)
  } catch {
    return undefined
  }
}

/** @throws TypeError if this is not a row id: anyone with access to the channel may send anything */
function fromJson(rowId: unknown): RowId {
  if (typeof rowId === 'string' || typeof rowId === 'number') return rowId
  if (Array.isArray(rowId) && typeof rowId[0] === 'string') return BigInt(rowId[0])
  throw new TypeError('not a row id')
}
