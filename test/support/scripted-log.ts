/** A log of a database without a server: a test sends its changes. */
import type {
  FollowProblem,
  Leadership,
  LogListener,
  OpenLog,
  OpenLogOptions,
} from '../../libs/follow/src/database-log.js'
import type { FollowedTable } from '../../libs/follow/src/followed-tables.js'
import type { LoggedChange, LoggedTable } from '../../libs/follow/src/logged-change.js'

/** As versions are found by. */
const keyOf = ({ schema, name }: { schema: string; name: string }): string => JSON.stringify([schema, name])

/** The table of the log. */
export const place = { schema: 'public', name: 'Post' }
export const table: LoggedTable = {
  oid: 1,
  ...place,
  isWhole: false,
  columns: [{ name: 'id', isKey: true, type: 20 }],
}
export const insert: LoggedChange = { kind: 'insert', table, row: new Map([['id', '1']]) }
export const transaction = { id: 7, committedAtMs: Date.now() }

/** A followed table whose columns are those of ids. */
export const followedTable = (name: string, ...idColumns: readonly string[]): FollowedTable => ({
  schema: 'public',
  name,
  models: [],
  relations: [],
  columns: new Set(idColumns),
  idColumns: new Set(idColumns),
})

/** A log whose changes a test sends, of a database in which no transaction is running. */
export class ScriptedLog {
  readonly confirmed: bigint[] = []
  listener!: LogListener
  versions: ReadonlyMap<string, string> = new Map([[keyOf(place), 'first']])
  /** What {@link OpenLog.hasChanged} finds. */
  isChanged = false
  durable: string | undefined
  isNew = true
  resumesAt = 10n
  end = 20n
  running: readonly number[] = []
  /** How often {@link Leadership.transactions} were asked for. */
  asked = 0
  isOver = false
  problems: readonly FollowProblem[] = []
  options!: OpenLogOptions
  /** The lowest number of a transaction that may be running. */
  oldest = 100n
  readonly flow: string[] = []
  /** How often it was asked for a sign of life. */
  pings = 0
  /** Of which positions a replica was asked. */
  readonly replayed: bigint[] = []
  readonly ending = Promise.withResolvers<Error>()

  leadership: Leadership = {
    database: 'postgresql/1/shop',
    open: async (options) => {
      this.options = options
      this.listener = options.listener
      return this.#open
    },
    end: async () => this.end,
    transactions: async () => {
      this.asked++
      return { oldest: this.oldest, has: (id) => this.running.includes(id) }
    },
    newTransaction: async () => 100n,
    bytesBetween: (from, to) => Number(to - from),
    hasReplica: false,
    replicaHas: async (position) => void this.replayed.push(position),
    lost: new Promise(() => {}),
    resign: async () => {},
  }

  get #open(): OpenLog {
    const versions = (): ReadonlyMap<string, string> => this.versions
    return {
      isNew: this.isNew,
      durable: this.durable,
      resumesAt: this.resumesAt,
      end: this.end,
      get versions() {
        return versions()
      },
      problems: this.problems,
      placeOf: () => '',
      confirm: (position) => void this.confirmed.push(position),
      ask: () => void this.pings++,
      pause: () => this.flow.push('pause'),
      resume: () => this.flow.push('resume'),
      hasChanged: async () => this.isChanged,
      follow: async (tables) => {
        this.versions = new Map(tables.map((one) => [keyOf(one), 'second']))
        this.isChanged = false
        return []
      },
      ended: this.ending.promise,
      close: async () => void (this.isOver = true),
    }
  }

  commit(position: bigint): void {
    this.listener.onChange(insert, transaction)
    this.listener.onCommit(position, transaction)
  }
}
