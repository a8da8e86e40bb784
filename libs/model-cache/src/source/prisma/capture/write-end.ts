import type { WriteEnd } from '../../write-coordinator.js'
/**
 * Returns what an error says about the end of its statement. The end is known only if the database has certainly refused it. A lost connection or a timeout of the driver leaves it open: the server
 * continues with what it has received, and may commit.
 */
export function endAfter(error: unknown): WriteEnd {
  const reply = replyIn(error)
  return reply && isRefusal(reply) ? 'known' : 'unknown'
}

/** Whether the error of a statement has its transaction commit nothing: that of PostgreSQL does. Other databases undo one statement at most. */
export function abortsTransaction(error: unknown, provider: string): boolean {
  return abortsTransactions.has(provider) && replyIn(error) !== undefined
}

/**
 * Whether the database may have ended a transaction with the error of one of its statements. MySQL does so in a deadlock, and commits what
 * the callback sends afterwards at once. A constraint of SQLite may do so by `ON CONFLICT ROLLBACK`, a trigger by `RAISE(ROLLBACK)`.
 * PostgreSQL refuses all further statements.
 */
export function mayHaveEnded(error: unknown, provider: string): boolean {
  if (abortsTransactions.has(provider)) return false
  const reply = replyIn(error)
  if (reply === undefined) return false
  return provider === 'sqlite' || reply.kind === conflict || !refusals.has(reply.kind)
}

/** Whether the database has undone a transaction because of a deadlock, or a conflict with the writes of others. */
export function isConflict(error: unknown): boolean {
  const reply = replyIn(error)
  return reply?.kind === conflict || isOldSnapshot(reply?.originalCode)
}

/** Whether MySQL permits the user to read a table or a column, but not to lock its rows. The transaction goes on. */
export function isDenied(error: unknown): boolean {
  const { code, kind } = replyIn(error) ?? {}
  return kind === 'mysql' && (code === 1142 || code === 1143)
}

/**
 * Whether MySQL or SQLite cannot run a statement as it is: its syntax is wrong, it writes a view, there is no such column, or the user has
 * no right to it. The transaction goes on; that of PostgreSQL does not.
 */
export function isUnreadable(error: unknown, provider: string): boolean {
  if (abortsTransactions.has(provider)) return false
  const { kind, originalCode, originalMessage, state } = replyIn(error) ?? {}
  if (kind === 'ColumnNotFound' || kind === 'TableDoesNotExist') return true
  if (kind === 'sqlite') {
    // A server of libsql says it in words only.
    return originalCode === undefined
      ? /\b(?:no such (?:table|column):|cannot modify .+ because it is a view)/.test(String(originalMessage))
      : /^(?:1|SQLITE_ERROR)$/.test(String(originalCode))
  }
  return kind === 'mysql' && String(state).startsWith('42')
}

/** The error of a COMMIT as that of its one statement. Adapters of SQLite leave it as the driver has it. */
export function refusedReference(error: unknown): unknown {
  const { message, name } = (error ?? {}) as { message?: unknown; name?: unknown }
  if (name === 'DriverAdapterError' || !String(message).includes('FOREIGN KEY constraint failed'))
    return error
  const cause = {
    kind: 'ForeignKeyConstraintViolation',
    constraint: { foreignKey: {} },
    originalCode: '787',
    originalMessage: message,
  }
  return Object.assign(new Error(cause.kind), { name: 'DriverAdapterError', cause })
}

/** Whether a statement of SQLite, or its COMMIT, has broken a constraint. */
export function breaksConstraint(error: unknown): boolean {
  const code = replyIn(error)?.originalCode
  return String(code).startsWith('SQLITE_CONSTRAINT') || (Number(code ?? NaN) & 0xff) === constraintInSqlite
}

/** Whether another connection to SQLite has written since the transaction read, which it did before it took the lock. */
const isOldSnapshot = (code: unknown): boolean => code === '517' || code === 'SQLITE_BUSY_SNAPSHOT'

/** Whether a row has been refused because of a key, another row, or a missing value: no question of the library can be. */
export function violatesConstraint(error: unknown): boolean {
  return constraints.has(replyIn(error)?.kind)
}

const constraints: ReadonlySet<unknown> = new Set([
  'ForeignKeyConstraintViolation',
  'NullConstraintViolation',
  'UniqueConstraintViolation',
])

/** Databases in which a transaction has failed as soon as one of its statements has. */
const abortsTransactions: ReadonlySet<string> = new Set(['postgresql', 'postgres', 'cockroachdb'])

/** Whether PostgreSQL does not understand a statement: the type of a parameter, or a name. */
export function isMisunderstood(error: unknown): boolean {
  return String(replyIn(error)?.originalCode).startsWith('42')
}

/** What the database has replied; undefined if the error is another one of the driver. */
function replyIn(error: unknown): Reply | undefined {
  // Errors are recognized by name, since adapters bring their own classes.
  const { cause, name, rawCode } = (error ?? {}) as DriverError
  // COMMIT fails with the error of the driver itself.
  if (name === 'LibsqlError') return { kind: 'sqlite', originalCode: rawCode }
  return name === 'DriverAdapterError' ? cause : undefined
}

interface DriverError {
  readonly name?: unknown
  readonly cause?: Reply
  /** The code that an error of libsql has. */
  readonly rawCode?: unknown
}

/** The reply of the database, as a driver adapter passes it on. */
interface Reply {
  readonly kind?: unknown
  readonly originalCode?: unknown
  readonly originalMessage?: unknown
  readonly severity?: unknown
  /** The SQLSTATE; of MySQL the number of the error, such as 1205, beside its `state`. */
  readonly code?: unknown
  readonly state?: unknown
}

/** The kind of a deadlock. */
const conflict = 'TransactionWriteConflict'

/** Kinds of error that driver adapters report for a statement that the database has undone. */
const refusals: ReadonlySet<unknown> = new Set([
  'ColumnNotFound',
  'ForeignKeyConstraintViolation',
  'InvalidInputValue',
  'LengthMismatch',
  'NullConstraintViolation',
  'RestrictViolation',
  'TableDoesNotExist',
  conflict,
  'UniqueConstraintViolation',
  'ValueOutOfRange',
])

/**
 * The codes of SQLite for a statement or a COMMIT that it has not executed: errors in it, locks of others, constraints. After others the
 * file may be damaged or the disk full. Extended codes have more bits.
 */
const sqliteRefusals: ReadonlySet<string> = new Set([
  'ERROR',
  'BUSY',
  'LOCKED',
  'READONLY',
  'SCHEMA',
  'TOOBIG',
  'CONSTRAINT',
  'MISMATCH',
])
const sqliteNumbers: ReadonlySet<number> = new Set([1, 5, 6, 8, 17, 18, 19, 20])

const constraintInSqlite = 19

/** libsql has numbers; better-sqlite3 has names, as `SQLITE_BUSY_SNAPSHOT`. A server of libsql that is lost has no code. */
function isRefusedBySqlite(code: unknown): boolean {
  const name = /^SQLITE_([A-Z]+)/.exec(String(code))?.[1]
  return name ? sqliteRefusals.has(name) : sqliteNumbers.has(Number(code ?? NaN) & 0xff)
}

/** Recognizes extended codes that SQLite alone has. */
const isBusyInSqlite = (code: unknown): boolean => /^(5|261|517|773|SQLITE_BUSY\w*)$/.test(String(code))

/**
 * PostgreSQL undoes a statement that it answers with an ERROR. FATAL and PANIC end the connection and may follow a COMMIT.
 * Poolers report lost connections with the classes 08 and 57P, CockroachDB a COMMIT that it may have finished with 40003.
 */
function isRefusal({ code, kind, originalCode, severity, state }: Reply): boolean {
  if (kind === 'sqlite') return isRefusedBySqlite(originalCode)
  if (kind === 'SocketTimeout') return isBusyInSqlite(originalCode)
  if (kind === 'mysql') return isRefusalOfMysql(Number(code), String(state))
  if (kind !== 'postgres') return refusals.has(kind)
  return severity === 'ERROR' && typeof originalCode === 'string' && !/^(08|57P|40003)/.test(originalCode)
}

/** MySQL undoes a statement that its server answers with an error. Numbers from 2000 to 2999 and from 45000 on are those of a client. */
function isRefusalOfMysql(code: number, state: string): boolean {
  const isOfServer = (code >= 1000 && code < 2000) || (code >= 3000 && code < 5000)
  return isOfServer && !state.startsWith('08') && !leavingOpen.has(code)
}

/** Errors of MySQL that end a connection, or come from COMMIT or ROLLBACK: the end of a transaction stays open. */
const leavingOpen: ReadonlySet<number> = new Set([
  1053, // shutdown
  1079, // shutdown after an abort
  1080, // a thread is forced to close
  1152, // an aborted connection
  1180, // COMMIT
  1181, // ROLLBACK
  1184, // an aborted connection
  1196, // tables without transactions, which keep what was written
  1317, // KILL QUERY
  1927, // KILL, of MariaDB
])

/** Why a write was not sent, or not committed: the error of the caches, which Prisma would turn into one of its own. */
export class RefusedCommit extends Error {
  constructor(cause: unknown) {
    super(`The write was not committed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

export function refuseCommit(error: unknown): never {
  throw new RefusedCommit(error)
}
