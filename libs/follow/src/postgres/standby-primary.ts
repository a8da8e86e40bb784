import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { followError } from '../errors.js'
import { messageOf } from '../database-url.js'
import type { StandbyLag } from '../database-log.js'
import { LogEnds } from '../log-ends.js'
import { connectTo, disconnect, nameOf, type PostgresAddress } from './connect.js'
import { positionIn } from './log-position.js'

/** How often the primary is asked for a snapshot, until the slot of a standby exists. */
const snapshotMs = 250
/** How long a report waits for an answer of the primary, which may be far away. A later answer counts in the next one. */
const waitMs = 250

/** The primary of a standby that is followed. It writes what a standby cannot, and says how far the standby is behind. */
export class StandbyPrimary {
  readonly #address: PostgresAddress
  /** How far the standby has its log, and the store. */
  readonly #ofStandby = new LogEnds()
  readonly #ofStore = new LogEnds()
  #client: Promise<pg.Client> | undefined
  #asking: Promise<void> | undefined
  /** The end of the log after the last statement. */
  #writtenTo = 0n

  constructor(address: PostgresAddress) {
    this.#address = address
  }

  /** How far the standby has to be, so that it has all statements of {@link write}. */
  get writtenTo(): bigint {
    return this.#writtenTo
  }

  /** Asks where its log ends, and waits a moment for the answer. Never rejects. */
  async ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
    const over = new AbortController()
    const waiting = delay(waitMs, undefined, { ref: false, signal: over.signal }).catch(() => {})
    await Promise.race([this.#asking, waiting])
    over.abort()
  }

  /**
   * How far the standby and the store are behind. What the standby has got just now is older than the time for which it has had it, so that
   * the lag of the store is not that behind the standby.
   *
   * @param replayed up to which position the standby shows changes
   * @param taken up to which the store has them
   */
  behind(replayed: bigint, taken: bigint): StandbyLag {
    this.#ofStandby.confirm(replayed)
    this.#ofStore.confirm(taken)
    return { ofStandbyMs: this.#ofStandby.unconfirmedMs, ofStoreMs: this.#ofStore.unconfirmedMs }
  }

  /** Runs a statement. @throws any error of PostgreSQL; ModelCacheError (`E_FOLLOW`) if it is not reachable */
  async write(statement: string): Promise<void> {
    await this.#run((client) => client.query(statement))
    this.#writtenTo = await this.#end()
  }

  /**
   * A standby creates a slot when the log says which transactions run. An idle primary does not write that, and others do so every 15 s.
   *
   * @param creating ends the snapshots
   * @throws ModelCacheError (`E_FOLLOW`) with the remedy, if the role may not have them written
   */
  async writeSnapshots(creating: Promise<unknown>): Promise<void> {
    const over = creating.then(
      () => true,
      () => true,
    )
    do {
      try {
        await this.#run((client) => client.query('SELECT pg_log_standby_snapshot()'))
      } catch (error) {
        throw followError(
          `the primary, ${nameOf(this.#address.url)}, does not write the snapshot that a standby needs to create a slot: ` +
            `${messageOf(error)}. Run there as a superuser: GRANT EXECUTE ON FUNCTION pg_log_standby_snapshot() TO …;`,
          error,
        )
      }
    } while (!(await Promise.race([over, delay(snapshotMs, false, { ref: false })])))
  }

  async close(): Promise<void> {
    await this.#client?.then(disconnect, () => {})
    this.#client = undefined
  }

  async #ask(): Promise<void> {
    const atMs = performance.now()
    try {
      const end = await this.#end()
      for (const ends of [this.#ofStandby, this.#ofStore]) ends.noteEnd(end, atMs)
    } catch {
      // It shows in how far the standby is behind.
    }
  }

  async #end(): Promise<bigint> {
    const sql = 'SELECT pg_current_wal_flush_lsn()::text AS end'
    const { rows } = await this.#run((client) => client.query<{ end: string }>(sql))
    return positionIn(rows[0]!.end)
  }

  /** Connects again after an error. */
  async #run<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = (this.#client ??= connectTo(this.#address, 'queries'))
    try {
      return await work(await client)
    } catch (error) {
      if (this.#client === client) this.#client = undefined
      void client.then(disconnect, () => {})
      throw error
    }
  }
}
