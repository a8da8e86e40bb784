import {
  abortsTransaction,
  breaksConstraint,
  endAfter,
  isConflict,
  isDenied,
  isUnreadable,
  mayHaveEnded,
} from './write-end.js'

const driver = (cause: object): unknown => ({ name: 'DriverAdapterError', cause })
const failure = (kind: string, originalCode: string, extendedCode?: number) =>
  driver({ kind, originalCode, ...(extendedCode && { extendedCode }) })
const postgres = (originalCode: string, severity: string) => ({ kind: 'postgres', originalCode, severity })
const mysql = (code: number, state = 'HY000') => driver({ kind: 'mysql', code, state })
const server = (originalMessage: string) => driver({ kind: 'sqlite', extendedCode: 1, originalMessage })

describe('endAfter', () => {
  it.each<[string, unknown]>([
    ['a broken constraint', driver({ kind: 'UniqueConstraintViolation' })],
    ['a statement_timeout', driver(postgres('57014', 'ERROR'))],
    ['a busy SQLite, by libsql', failure('SocketTimeout', '5')],
    ['a busy snapshot, by better-sqlite3', failure('SocketTimeout', 'SQLITE_BUSY_SNAPSHOT')],
    ['a CHECK of SQLite', failure('sqlite', '275', 275)],
    ['an error of SQL, by better-sqlite3', failure('sqlite', 'SQLITE_ERROR', 1)],
    ['a COMMIT that finds SQLite busy', { name: 'LibsqlError', code: 'SQLITE_BUSY', rawCode: 5 }],
    ['a deadlock at COMMIT', failure('TransactionWriteConflict', '40P01')],
    ['a lock that MySQL did not get in time', mysql(1205)],
    ['a row of MariaDB that has changed since the snapshot', mysql(1020)],
    ['a statement that MySQL does not understand', mysql(1064, '42000')],
    ['a parameter of unknown type', driver(postgres('42P08', 'ERROR'))],
    ...[1000, 1999, 3000, 4999].map((code): [string, unknown] => [`error ${code} of MySQL`, mysql(code)]),
  ])('is known after %s', (_, error) => {
    expect(endAfter(error)).toBe('known')
  })

  it.each<[string, unknown]>([
    ['a connection that was reset', driver({ kind: 'ConnectionClosed' })],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a timeout of the driver', new Error('Query read timeout')],
    ['a backend that was stopped', driver(postgres('57P01', 'FATAL'))],
    ['a server that crashes while it writes COMMIT', driver(postgres('58030', 'PANIC'))],
    ['a pooler that has lost its connection', driver(postgres('08P01', 'ERROR'))],
    ['a COMMIT that CockroachDB may have finished', driver(postgres('40003', 'ERROR'))],
    ['a timeout of a socket', failure('SocketTimeout', 'ETIMEDOUT')],
    ['a connection to libsql that is lost', driver({ kind: 'sqlite', extendedCode: 1 })],
    ['a disk that SQLite cannot write', failure('sqlite', '778', 778)],
    ['a damaged file, by better-sqlite3', failure('sqlite', 'SQLITE_CORRUPT', 1)],
    ['a shutdown of MySQL', mysql(1053, '08S01')],
    ['a COMMIT that MySQL could not finish', mysql(1180)],
    ['a connection that MariaDB has killed', mysql(1927, '70100')],
    ['a socket that the driver of MySQL has lost', mysql(45009, '08S01')],
    ['a handshake that MySQL has refused', mysql(1043, '08S01')],
    ...[999, 2000, 2013, 2999, 5000, 45009].map((code): [string, unknown] => [
      `error ${code} of a client of MySQL`,
      mysql(code),
    ]),
    ['an error of PostgreSQL without a code', driver({ kind: 'postgres', severity: 'ERROR' })],
    ['an error of SQLite with a code of Node', failure('sqlite', 'ERR_SQLITE_ERROR')],
    ['a timeout with a code that ends like one of SQLite', failure('SocketTimeout', '15')],
    ['a timeout with a code that begins like one', failure('SocketTimeout', '50')],
    ['an error with a code of Prisma that is not its own', { name: 'Error', code: 'P2025' }],
    ['an error of another origin', 'what?'],
    ['nothing at all', undefined],
  ])('is unknown after %s', (_, error) => {
    expect(endAfter(error)).toBe('unknown')
  })
})

describe('mayHaveEnded', () => {
  const deadlock = driver({ kind: 'TransactionWriteConflict' })
  const unique = driver({ kind: 'UniqueConstraintViolation' })

  it.each([
    ['a deadlock', 'mysql', deadlock, true],
    ['a deadlock at COMMIT', 'mysql', driver({ kind: 'TransactionWriteConflict' }), true],
    ['a lock that it did not get in time', 'mysql', mysql(1205), true],
    ['a broken constraint', 'mysql', unique, false],
    ['a broken constraint, which may say ROLLBACK', 'sqlite', unique, true],
    ['a full disk', 'sqlite', failure('sqlite', '13'), true],
    ['nothing at all', 'mysql', undefined, false],
    ['a deadlock', 'postgresql', deadlock, false],
  ])('after %s, %s: %#', (_, provider, error, expected) => {
    expect(mayHaveEnded(error, provider)).toBe(expected)
  })
})

it.each<[string, unknown, boolean]>([
  ['a deadlock at COMMIT', driver({ kind: 'TransactionWriteConflict' }), true],
  ['an old snapshot, by libsql', failure('SocketTimeout', '517'), true],
  ['an old snapshot, by better-sqlite3', failure('SocketTimeout', 'SQLITE_BUSY_SNAPSHOT'), true],
  ['a busy SQLite', failure('SocketTimeout', '5'), false],
  ['nothing at all', undefined, false],
])('tells whether others were in the way: %s', (_, error, expected) => {
  expect(isConflict(error)).toBe(expected)
})

it.each<[string, string, unknown, boolean]>([
  ['an error of MySQL', 'mysql', mysql(1062), false],
  ['an error of PostgreSQL', 'postgresql', driver(postgres('23505', 'ERROR')), true],
  ['a connection that ended', 'postgresql', new Error('Connection terminated unexpectedly'), false],
])('tells whether the transaction commits nothing after %s (%s)', (_, provider, error, expected) => {
  expect(abortsTransaction(error, provider)).toBe(expected)
})

describe('isDenied', () => {
  it('knows that MySQL lets a user read a table or a column without locking its rows', () => {
    const errors = [mysql(1142), mysql(1143), mysql(1205), driver({ kind: 'postgres', code: 1142 })]
    expect(errors.map(isDenied)).toEqual([true, true, false, false])
  })
})

it.each<[string, string, unknown, boolean]>([
  ['a column that it lacks', 'mysql', driver({ kind: 'ColumnNotFound', originalCode: '1054' }), true],
  ['a table that it lacks', 'mysql', driver({ kind: 'TableDoesNotExist', originalCode: '1146' }), true],
  ['wrong syntax', 'mysql', mysql(1064, '42000'), true],
  ['a lock that it did not get in time', 'mysql', mysql(1205), false],
  ['a column that it lacks', 'sqlite', driver({ kind: 'ColumnNotFound', originalCode: '1' }), true],
  ['a busy file', 'sqlite', driver({ kind: 'SocketTimeout', originalCode: '5' }), false],
  [
    'a table that a server lacks',
    'sqlite',
    server('SQLITE_UNKNOWN: SQLite error: no such table: main.a'),
    true,
  ],
  [
    'a view of a server',
    'sqlite',
    server('SQLITE_UNKNOWN: SQLite error: cannot modify v because it is a view'),
    true,
  ],
  ['a busy server', 'sqlite', server('SQLITE_BUSY: SQLite error: database is locked'), false],
  ['a server that is lost', 'sqlite', driver({ kind: 'sqlite', extendedCode: 1 }), false],
  ['a column that it lacks', 'postgresql', driver({ kind: 'ColumnNotFound', originalCode: '42703' }), false],
])('tells whether another statement can take the place of one: %s, %s', (_, provider, error, expected) => {
  expect(isUnreadable(error, provider)).toBe(expected)
})

it.each<[string, unknown, boolean]>([
  ['a key that is taken, by libsql', failure('UniqueConstraintViolation', '2067'), true],
  [
    'a reference, by better-sqlite3',
    failure('ForeignKeyConstraintViolation', 'SQLITE_CONSTRAINT_FOREIGNKEY'),
    true,
  ],
  ['a busy file', failure('SocketTimeout', '5'), false],
  ['a full disk', failure('sqlite', 'SQLITE_FULL'), false],
  ['an error of the driver', new Error('lost'), false],
])('shows whether a constraint of SQLite is broken: %s', (_, error, expected) => {
  expect(breaksConstraint(error)).toBe(expected)
})
