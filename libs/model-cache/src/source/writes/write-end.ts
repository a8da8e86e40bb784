import type { WriteEnd } from '../write-coordinator.js'

/**
 * What an error says of the end of the statement that failed with it. It is known only where the database, or Prisma before it asked
 * the database, is sure to have refused it. A lost connection and a timeout of the driver leave it open: the server
 * goes on with what it has received, and may commit.
 */
export function endAfter(error: unknown): WriteEnd {
  const { name, code, cause, meta } = (error ?? {}) as PrismaError
  // By name: the classes differ between clients that were generated apart.
  if (name === 'PrismaClientValidationError') return 'known'
  // COMMIT fails with the error of the driver itself.
  const reply = name === 'DriverAdapterError' ? cause : meta?.driverAdapterError?.cause
  if (reply) return isRefusal(reply) ? 'known' : 'unknown'
  const isOfPrisma = name === 'PrismaClientKnownRequestError' && ownRefusals.has(code as string)
  return isOfPrisma ? 'known' : 'unknown'
}

interface PrismaError {
  readonly name?: unknown
  readonly code?: unknown
  readonly cause?: Reply
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: Reply } }
}

/** What a driver adapter makes of the reply of the database. */
interface Reply {
  readonly kind?: unknown
  readonly originalCode?: unknown
  readonly severity?: unknown
}

/** What Prisma finds out by itself: rows that are required and not there, relations that would break, values that do not fit. */
const ownRefusals: ReadonlySet<string> = new Set([
  'P2009',
  'P2012',
  'P2013',
  'P2014',
  'P2015',
  'P2016',
  'P2017',
  'P2018',
  'P2019',
  'P2025',
  'P2029',
])

/** Errors of one statement, in the words of driver adapters: the database has undone it. */
const refusals: ReadonlySet<unknown> = new Set([
  'ColumnNotFound',
  'ForeignKeyConstraintViolation',
  'InvalidInputValue',
  'LengthMismatch',
  'NullConstraintViolation',
  'RestrictViolation',
  'TableDoesNotExist',
  'TransactionWriteConflict',
  'UniqueConstraintViolation',
  'ValueOutOfRange',
])

/**
 * PostgreSQL undoes a statement that it answers with an ERROR. FATAL and PANIC end the connection, and may come after COMMIT was
 * written; classes 08 and 57P are what poolers, too, say of lost connections.
 */
function isRefusal({ kind, originalCode, severity }: Reply): boolean {
  if (kind !== 'postgres') return refusals.has(kind)
  return severity === 'ERROR' && typeof originalCode === 'string' && !/^(08|57P)/.test(originalCode)
}
