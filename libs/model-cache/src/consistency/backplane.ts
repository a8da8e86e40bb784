import type { Messages, RegisterScope } from '../store/store.js'
import type { RowId } from './row-id.js'
import { isOwnToken, newToken, randomWord } from './token.js'

export interface BackplaneParts {
  readonly name: string
  readonly messages: Messages
  /** With the model in braces, as in keys. */
  readonly channel: string
  /** Told of rows that another process writes, or has written. */
  readonly onRows: (rows: readonly RowId[]) => void
  /** Told that any row may have been written. */
  readonly onAll: () => void
  /** Called when any row may have been created. */
  readonly onNotFound: () => void
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/** How often this process looks whether it hears messages, by one to itself. */
const beatMs = 1_000

/** Rows of one message, at most. */
const rowsPerMessage = 1_000

/**
 * Tells other processes of writes, and hears of theirs, for what processes keep in their memories.
 *
 * Messages have numbers, and a gap means that some were lost. So does a lost connection, and a heartbeat, which a process sends
 * to itself over the same channel and connection, that does not come. Then, and until it comes again, nothing that is kept
 * in memory is to be used: {@link isUp} is false two seconds after the last one at the latest, by the clock, so that a process
 * which was stopped does not trust its memory when it goes on.
 */
export class Backplane {
  readonly #parts: BackplaneParts
  readonly #publisher = randomWord()
  readonly #ownChannel: string
  /** The last number heard of each publisher. */
  readonly #heard = new Map<string, number>()
  #sent = 0
  #isForbidden = false
  #timer: NodeJS.Timeout | undefined
  #beat = ''
  #heardBeatAtMs = -Infinity
  #wasUp: boolean | undefined

  constructor(parts: BackplaneParts) {
    this.#parts = parts
    this.#ownChannel = `${parts.channel}:${this.#publisher}`
  }

  /** Whether all messages have been heard until a moment ago. */
  get isUp(): boolean {
    return performance.now() - this.#heardBeatAtMs < 2 * beatMs
  }

  get isListening(): boolean {
    return this.#timer !== undefined
  }

  /** Begins to listen. Does not keep the process alive. */
  start(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => void this.#sendBeat(), beatMs).unref()
    void this.#sendBeat()
  }

  async stop(): Promise<void> {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#heardBeatAtMs = -Infinity
    const { channel, messages } = this.#parts
    const channels = [channel, this.#ownChannel]
    await Promise.all(channels.map((name) => messages.unsubscribe(name).catch(() => {})))
  }

  /** @throws StoreError */
  async publishRows(rows: readonly RowId[]): Promise<void> {
    for (let i = 0; i < rows.length; i += rowsPerMessage)
      await this.#publish(JSON.stringify(rows.slice(i, i + rowsPerMessage).map(toJson)))
  }

  /** @throws StoreError */
  publishAll(scope: RegisterScope): Promise<void> {
    return this.#publish(textOf[scope])
  }

  async #publish(text: string): Promise<void> {
    const { channel, messages } = this.#parts
    try {
      await messages.publish(channel, `${this.#publisher};${++this.#sent};${text}`)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'E_STORE_FORBIDDEN') throw error
      this.#tellOfRefusal()
    }
  }

  /** To try again would not help, and who shares the rights of this process hears no heartbeat, either. */
  #tellOfRefusal(): void {
    const { channel, name, warn } = this.#parts
    if (!this.#isForbidden) {
      warn(
        `ModelCache "${name}": the store does not allow this process to publish on ${channel}, so others do not hear of its ` +
          'writes, and rows in their memory (`l1`) may be as old as their ttl. Give its user the right to the channel.',
      )
    }
    this.#isForbidden = true
  }

  /** Says something to itself, over a channel that it subscribes to anew whenever the last has not been heard. */
  async #sendBeat(): Promise<void> {
    const { channel, messages } = this.#parts
    try {
      if (!this.isUp) {
        this.#tellChange(false)
        await messages.subscribe(channel, this.#hear, this.#lose)
        await messages.subscribe(this.#ownChannel, this.#hearBeat, this.#lose)
      }
      this.#beat = newToken()
      await messages.publish(this.#ownChannel, this.#beat)
    } catch {
      // Silence says it all.
    }
  }

  /** However soon messages come again: those in between are lost. */
  readonly #lose = (): void => {
    // A heartbeat that was sent before does not count.
    this.#beat = ''
    this.#heardBeatAtMs = -Infinity
    if (this.#timer) this.#tellChange(false)
  }

  readonly #hearBeat = (message: string): void => {
    if (message !== this.#beat || !isOwnToken(message)) return
    // Whatever was missed until now.
    if (!this.isUp) this.#parts.onAll()
    this.#heardBeatAtMs = performance.now()
    this.#tellChange(true)
  }

  readonly #hear = (message: string): void => {
    const [publisher = '', number, text = ''] = split(message)
    if (publisher === this.#publisher) return
    // Of one that was not heard before, all until now may be missing.
    const last = this.#heard.get(publisher) ?? 0
    const isGap = Number(number) > last + 1
    if (Number(number) > last) this.#heard.set(publisher, Number(number))
    if (this.#heard.size > maxPublishers) this.#heard.clear()
    if (!isGap && text === textOf.membership) return this.#parts.onNotFound()
    const rows = isGap ? undefined : rowsIn(text)
    if (rows) this.#parts.onRows(rows)
    else this.#parts.onAll()
  }

  #tellChange(isUp: boolean): void {
    const { name, info, warn } = this.#parts
    if (this.#wasUp === isUp || (this.#wasUp === undefined && !isUp)) return
    if (isUp && this.#wasUp === false)
      info(`ModelCache "${name}": hears of writes elsewhere again; L1 is in use.`)
    if (!isUp) {
      warn(
        `ModelCache "${name}": does not hear of writes elsewhere; L1 is passed by until it does. The store is asked instead.`,
      )
    }
    this.#wasUp = isUp
  }
}

/** What stands for rows that are not known. */
const textOf = { all: '*', membership: '-' } as const

/** Processes whose numbers are remembered; they come and go. */
const maxPublishers = 10_000

function split(message: string): string[] {
  const first = message.indexOf(';')
  const second = message.indexOf(';', first + 1)
  return [message.slice(0, first), message.slice(first + 1, second), message.slice(second + 1)]
}

/** Bigints, which JSON lacks, are lists of one text. */
type JsonIdentity = string | number | [string]

function toJson(rowId: RowId): JsonIdentity {
  return typeof rowId === 'bigint' ? [String(rowId)] : rowId
}

/** The rows of a message; undefined where it says all, or something that no process of this version publishes. */
function rowsIn(text: string): RowId[] | undefined {
  if (text === textOf.all) return undefined
  try {
    return (JSON.parse(text) as unknown[]).map(fromJson)
  } catch {
    return undefined
  }
}

/** @throws when this is no rowId: anyone who may publish on the channel may send anything. */
function fromJson(rowId: unknown): RowId {
  if (typeof rowId === 'string' || typeof rowId === 'number') return rowId
  if (Array.isArray(rowId) && typeof rowId[0] === 'string') return BigInt(rowId[0])
  throw new TypeError('not an rowId')
}
