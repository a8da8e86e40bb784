import { setTimeout as delay } from 'node:timers/promises'
import { asFollowError, followError } from './errors.js'
import { answerIn } from './answer-in.js'
import { messageOf } from './database-url.js'

/** How often a stand-by asks for the lock. */
const pollMs = 500
/** How long an answer to the leader may take. */
const answerMs = 1_500

/** What the lock needs of a connection. */
export interface LockConnection {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

export interface LockOptions<Client> {
  /** @throws ModelCacheError (`E_FOLLOW`) when the database is not reachable */
  readonly connect: () => Promise<Client>
  /** Asks for the lock, and does not wait for it. @returns whether the connection has it */
  readonly isTaken: (client: Client) => Promise<boolean>
  /** Ends the connection at once. */
  readonly disconnect: (client: Client) => Promise<void>
}

/** A lock of the database that this process holds, which the database ends with the connection that holds it. */
export class HeldLock<Client extends LockConnection> {
  readonly #client: Client
  readonly #disconnect: LockOptions<Client>['disconnect']
  readonly #lost = Promise.withResolvers<Error>()
  #isLost = false
  #running: Promise<unknown> = Promise.resolve()
  #users = 0

  private constructor(client: Client, { disconnect }: LockOptions<Client>) {
    this.#client = client
    this.#disconnect = disconnect
    client.on('error', (error) => this.#lose(messageOf(error)))
    client.on('end', () => this.#lose('it was closed'))
  }

  /**
   * Waits for the lock.
   *
   * @throws ModelCacheError (`E_FOLLOW`) when the database is not reachable; the reason of `signal` when it ends the wait
   */
  static async take<Client extends LockConnection>(
    options: LockOptions<Client>,
    signal: AbortSignal,
  ): Promise<HeldLock<Client>> {
    const lock = new HeldLock(await options.connect(), options)
    try {
      signal.throwIfAborted()
      while (!(await options.isTaken(lock.#client))) {
        await delay(pollMs, undefined, { signal, ref: false })
        if (lock.#isLost) throw await lock.lost
      }
      return lock
    } catch (error) {
      await lock.release()
      signal.throwIfAborted()
      throw asFollowError(error, `cannot take the lock: ${messageOf(error)}.`)
    }
  }

  /** Resolves when the lock is lost, with the reason. */
  get lost(): Promise<Error> {
    return this.#lost.promise
  }

  /** Whether a query of the connection runs or waits: another one would wait, too. */
  get isInUse(): boolean {
    return this.#users > 0
  }

  /** Runs queries on the connection, those of one caller after those of another. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.#users++
    const result = this.#running.then(() => work(this.#client))
    this.#running = result.catch(() => {}).finally(() => this.#users--)
    return result
  }

  /**
   * As {@link run} for queries that the database answers at once: if it does not, the lock is lost. The time in which others run before
   * them says nothing about the connection.
   */
  async ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.run((client) => answerIn(work(client), answerMs))
    } catch (error) {
      // A connection whose other end is gone says nothing by itself.
      this.#lose(messageOf(error))
      void this.release()
      throw error
    }
  }

  release(): Promise<void> {
    return this.#disconnect(this.#client)
  }

  #lose(reason: string): void {
    this.#isLost = true
    this.#lost.resolve(followError(`lost the connection that holds the lock: ${reason}.`))
  }
}
