/** Random statements of SQL for the tables of the schema of `differential`, the same for the same seed. */
import type { Random } from '../differential/random.ts'

type Column = (random: Random) => string

const number =
  (most: number): Column =>
  (random) =>
    String(1 + random.below(most))
const text =
  (prefix: string, most: number): Column =>
  (random) =>
    `'${prefix}${1 + random.below(most)}'`
const pick =
  (...choices: readonly string[]): Column =>
  (random) =>
    random.pick(choices)
const nullable =
  (column: Column): Column =>
  (random) =>
    random.chance(25) ? 'NULL' : column(random)
const uuid: Column = (random) =>
  `'5eed0000-0000-4000-a000-0000000000${(171 + random.below(30)).toString(16)}'`
const at: Column = (random) =>
  `'2025-03-01 00:00:0${1 + random.below(6)}.${random.pick(['000138', '5', '000'])}+0${random.below(3)}'`
const date: Column = (random) => `'2024-0${2 + random.below(2)}-2${random.below(9)}'`
const decimal =
  (step: number): Column =>
  (random) =>
    String(step * (random.below(9) - 2))

/** The columns that are written, of each table. */
const columns: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  accounts: {
    id: number(20),
    email: text('a', 20),
    name: text('name ', 3),
    role: pick(`'MEMBER'`, `'admin'`, `'GUEST'`),
    tags: pick(`'{}'`, `'{a,b}'`),
    balance: decimal(10.5),
    avatar: nullable(pick(`'\\x00ff11'`, `'\\x'`, `'\\x00ff13'`)),
    born: nullable(date),
    views: pick('1', '-2', '9007199254740993'),
    active: pick('true', 'false'),
    token: uuid,
    '"createdAt"': pick(`'2024-01-01 10:00:00.123'`, `'1960-01-01 10:00:00.5'`),
    updated_at: pick(`'2024-01-02'`),
    '"managerId"': nullable(number(9)),
  },
  Profile: { '"accountId"': number(9), bio: nullable(text('bio ', 3)) },
  Badge: { id: number(20), label: text('b', 9), '"profileId"': number(6) },
  Locker: { number: number(12), code: nullable(text('code ', 3)), '"accountId"': nullable(number(9)) },
  Event: {
    at,
    place: pick(`'hall'`, `'Yard'`),
    title: text('event ', 12),
    capacity: number(3),
    '"hostId"': nullable(number(9)),
  },
  Ticket: { id: uuid, seat: nullable(text('s', 12)), price: decimal(3.3), '"soldAt"': nullable(at) },
  Team: { code: decimal(1.25), name: text('team ', 9), motto: nullable(text('motto ', 3)) },
  Post: {
    id: number(16),
    slug: text('p', 6),
    title: text('title ', 3),
    '"authorId"': number(7),
    '"editorId"': nullable(number(7)),
  },
  Comment: {
    '"postId"': number(8),
    number: number(4),
    body: text('body ', 3),
    '"parentNo"': pick('NULL', '1'),
  },
  Label: { name: text('l', 9), colour: pick(`'red'`, `'blue'`), '"parentName"': nullable(text('l', 9)) },
  Setting: { id: number(9), scope: nullable(text('scope', 3)), key: text('k', 6) },
  Grant: {
    '"accountId"': number(7),
    role: pick(`'MEMBER'`, `'admin'`, `'GUEST'`),
    note: pick(`''`, `'note'`),
  },
  Blob: { hash: pick(`'\\xab01'`, `'\\xab02'`, `'\\xab09'`), name: text('b', 9), size: number(3) },
  Day: { date, label: text('day ', 9) },
  Hour: {
    at: (random) => `'2024-02-28 ${10 + random.below(9)}:00:00+00'`,
    label: text('hour ', 9),
    date: nullable(date),
  },
  Secret: { id: number(12), code: text('c', 12), '"accountId"': number(7) },
  _AccountToTeam: { '"A"': number(7), '"B"': decimal(1.25) },
  _LabelToPost: { '"A"': text('l', 9), '"B"': number(9) },
  _Similar: { '"A"': text('l', 9), '"B"': text('l', 9) },
}

/** A statement; it may violate a constraint. */
export function randomStatement(random: Random): string {
  const table = random.pick(Object.keys(columns))
  const own = columns[table]!
  const names = Object.keys(own)
  const name = `"${table}"`
  const row = (): string => `(${names.map((column) => own[column]!(random)).join(', ')})`
  const rows = (): string => Array.from({ length: 1 + random.below(3) }, row).join(', ')
  const settings = (): string => {
    const chosen = random.some(names, 30)
    const changed = chosen.length > 0 ? chosen : [random.pick(names)]
    return changed.map((column) => `${column} = ${own[column]!(random)}`).join(', ')
  }
  const condition = (): string => {
    const column = random.pick(names)
    return random.chance(10) ? 'true' : `${column} = ${own[column]!(random)}`
  }
  const insert = (): string => `INSERT INTO ${name} (${names.join(', ')}) VALUES ${rows()}`
  return random.oneOf(
    () => insert(),
    () => `${insert()} ON CONFLICT DO NOTHING`,
    () => `UPDATE ${name} SET ${settings()} WHERE ${condition()}`,
    () => `UPDATE ${name} SET ${settings()} WHERE ${condition()}`,
    () => `DELETE FROM ${name} WHERE ${condition()}`,
    () => {
      const key = random.pick(names)
      return `MERGE INTO ${name} t USING (VALUES ${row()}) v (${names.join(', ')}) ON t.${key}::text = v.${key}::text
        WHEN MATCHED AND ${random.chance(50)} THEN DELETE WHEN MATCHED THEN UPDATE SET ${settings()}`
    },
    () => (random.chance(15) ? `TRUNCATE ${name} CASCADE` : `UPDATE ${name} SET ${settings()}`),
  )
}

export interface RandomTransaction {
  /** Each after a savepoint. */
  readonly statements: readonly { readonly sql: string; readonly isRolledBack: boolean }[]
  readonly end: readonly string[]
}

export function randomTransaction(random: Random): RandomTransaction {
  const count = random.chance(50) ? 1 : 1 + random.below(5)
  const statements = Array.from({ length: count }, () => ({
    sql: randomStatement(random),
    isRolledBack: random.chance(10),
  }))
  const end = random.chance(70)
    ? ['COMMIT']
    : random.pick([
        ['ROLLBACK'],
        [`PREPARE TRANSACTION 'random'`, `COMMIT PREPARED 'random'`],
        [`PREPARE TRANSACTION 'random'`, `ROLLBACK PREPARED 'random'`],
      ])
  return { statements, end }
}
