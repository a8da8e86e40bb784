import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { followError } from '../errors.js'
import { messageOf } from '../database-url.js'
import { reportMs } from '../follow-watch.js'
import { LogProgress } from '../log-progress.js'
import { connectTo, disconnect, nameOf, type PostgresAddress } from './connect.js'
import { positionIn } from './log-position.js'

/** How often the primary is asked for a snapshot, until the slot of a standby exists. */
const snapshotMs = 250

/** The primary of a standby that is followed. It writes what a standby cannot, and says how far the standby is behind. */
export class StandbyPrimary {
  readonly #address: PostgresAddress
  readonly #progress = new LogProgress((from, to) => Number(to - from))
  #client: Promise<pg.Client> | undefined
  /** When a question was asked that it has answered. */
  #answeredAtMs = performance.now()
  #isAsking = false
  /** The end of the log after the last statement. */
  #writtenTo = 0n

  constructor(address: PostgresAddress) {
    this.#address = address
  }

  /** How far the standby has to be, so that it has all statements of {@link write}. */
  get writtenTo(): bigint {
    return this.#writtenTo
  }

  /**
   * How long ago the oldest change may have been committed that the standby does not have, in milliseconds.
   *
   * @param replayed how far the standby is
   */
  behindMs(replayed: bigint): number {
    void this.#ask()
    this.#progress.confirm(replayed)
    // If it does not answer, the standby may lack everything since.
    const silentMs = performance.now() - this.#answeredAtMs
    return silentMs > 4 * reportMs ? silentMs : this.#progress.lagMs(undefined)
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
    if (this.#isAsking) return
    this.#isAsking = true
    const atMs = performance.now()
    try {
      this.#progress.noteEnd(await this.#end(), atMs)
      this.#answeredAtMs = atMs
    } catch {
      // It shows in how far the standby is behind.
    } finally {
      this.#isAsking = false
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
