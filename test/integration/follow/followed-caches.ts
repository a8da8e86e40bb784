/** Caches and lookups of all models of the schema of `differential`, in several processes, compared with the database. */
import type { ReadThroughCache } from 'model-cache/advanced'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import type { PrismaClient } from '../differential/client/client.ts'
import { delegateOf, type Model, models } from '../differential/models.ts'
import { show } from '../differential/show.ts'
import { defineWithLookups } from '../lookups/posts.js'
import { type FollowWorld } from './follow-worlds.js'

type Row = Readonly<Record<string, unknown>>

interface LookupPlan {
  readonly name: string
  readonly isUnique?: boolean
  readonly by: readonly string[]
  readonly orderBy?: string
  readonly limit?: number
  readonly where?: Row
  /** Of a list through a relation: the field, and the model at the other side, by whose id `by` lists it. */
  readonly through?: { readonly relation: string; readonly model: string }
}

interface CachePlan {
  readonly name: string
  readonly model: Model
  readonly id: readonly string[]
  readonly lookups: readonly LookupPlan[]
  /** Ids of rows that may not exist. */
  readonly ids: readonly Row[]
  readonly dependsOn?: readonly string[]
}

/** By which ids caches know their rows: those of the replica identity, or others. */
export type Ids = 'identity' | 'others'

const unique = (...by: string[]): LookupPlan => ({ name: by.join('_'), isUnique: true, by })
const list = (by: string, more: Partial<LookupPlan> = {}): LookupPlan => ({
  name: `by_${by}`,
  by: [by],
  ...more,
})
const through = (relation: string, model: string, key: string): LookupPlan => ({
  name: `through_${relation}`,
  by: [key],
  through: { relation, model },
})
const range = (count: number, make: (n: number) => Row): Row[] =>
  Array.from({ length: count }, (_, n) => make(n + 1))

const accountLookups = [
  unique('email'),
  unique('token'),
  list('balance'),
  list('avatar'),
  list('born'),
  list('createdAt'),
  list('views'),
  list('role', { orderBy: 'name' }),
  list('active', { where: { role: 'ADMIN' } }),
  list('managerId', { orderBy: 'name', limit: 2 }),
  through('teams', 'Team', 'code'),
]
const postLookups = [
  unique('authorId', 'slug'),
  list('authorId', { orderBy: 'title' }),
  list('editorId', { orderBy: 'slug', limit: 2 }),
  list('title', { where: { editorId: null } }),
  through('labels', 'Label', 'name'),
]
const labelLookups = [
  list('colour'),
  list('parentName', { orderBy: 'colour' }),
  through('posts', 'Post', 'id'),
  through('similar', 'Label', 'name'),
  through('similarTo', 'Label', 'name'),
]

const emptied = { dependsOn: ['Account', 'Post'] }
const numbers = (field: string, count = 24): Row[] => range(count, (n) => ({ [field]: n }))
const events = range(12, (n) => ({ title: `event ${n}` }))
const teams = range(9, (n) => ({ name: `team ${n}` }))
const labels = range(12, (n) => ({ name: `l${n}` }))
const blobs = range(9, (n) => ({ name: `b${n}  ` }))
const days = range(9, (n) => ({ label: `day ${n}` }))
const hours = range(9, (n) => ({ label: `hour ${n}` }))

/** Each with ids that are part of the replica identity, and, where there are any, with others. */
const plans: Readonly<Record<Ids, readonly CachePlan[]>> = {
  identity: [
    plan('Account', 'id', accountLookups, numbers('id')),
    plan('Profile', 'accountId', [list('bio')], numbers('accountId')),
    plan('Badge', 'id', [unique('profileId', 'label'), list('profileId')], numbers('id')),
    plan('Locker', 'number', [unique('accountId'), list('code')], numbers('number')),
    plan('Event', 'title', [list('hostId', { orderBy: 'capacity' })], events),
    plan('Ticket', 'id', [unique('seat'), list('price'), list('eventPlace')], []),
    plan('Team', 'name', [list('motto'), through('accounts', 'Account', 'id')], teams),
    plan(
      'Post',
      'id',
      postLookups,
      range(24, (n) => ({ id: BigInt(n) })),
    ),
    plan(
      'Comment',
      'postId number',
      [list('postId'), list('body', { limit: 3 })],
      range(27, (n) => ({ postId: BigInt(n % 9), number: n % 4 })),
    ),
    plan('Label', 'name', labelLookups, labels),
    plan('Setting', 'id', [unique('scope', 'key'), list('scope')], numbers('id', 12)),
    plan(
      'Grant',
      'accountId role',
      [list('role'), list('note')],
      range(9, (n) => ({ accountId: n, role: 'ADMIN' })),
    ),
    plan('Blob', 'name', [unique('hash'), list('size')], blobs),
    plan('Day', 'label', [unique('date')], days),
    plan('Hour', 'label', [unique('at'), list('date')], hours),
    plan('Secret', 'id', [unique('code'), list('accountId')], numbers('id', 12)),
    plan('Profile', 'accountId', [], numbers('accountId'), { name: 'Profile.emptied', ...emptied }),
  ],
  others: [
    plan(
      'Account',
      'email',
      accountLookups,
      range(24, (n) => ({ email: `a${n}@x.org` })),
    ),
    plan('Account', 'token', [], [], { name: 'Account.token' }),
    plan(
      'Badge',
      'profileId label',
      [list('label')],
      range(20, (n) => ({ profileId: n % 5, label: `b${n}` })),
    ),
    plan('Event', 'title', [list('place')], events),
    plan('Team', 'name', [through('accounts', 'Account', 'id')], teams),
    plan(
      'Post',
      'authorId slug',
      postLookups,
      range(27, (n) => ({ authorId: n % 9, slug: `p${n % 4}` })),
    ),
    plan('Label', 'name', labelLookups, labels),
    plan('Blob', 'name', [unique('hash')], blobs),
    plan('Day', 'label', [unique('date')], days),
    plan('Hour', 'label', [unique('at'), list('date')], hours),
    plan(
      'Secret',
      'code',
      [list('accountId')],
      range(12, (n) => ({ code: `c${n}` })),
    ),
  ],
}

/** What MySQL compares as JavaScript does: of other keys, a lookup is refused. */
const mysqlKeys: ReadonlySet<string> = new Set(['Int', 'BigInt', 'Boolean', 'Role'])

function plansOn({ dialect }: FollowWorld, ids: Ids): readonly CachePlan[] {
  const { models: known } = dialect
  return plans[ids].map((each) => {
    const model = known[each.model.name]!
    if (dialect.kind.provider === 'postgresql') return { ...each, model }
    const isCompared = ({ by, through: other }: LookupPlan): boolean =>
      by.every((field) => mysqlKeys.has((other ? known[other.model]! : model).fields[field]!.type))
    // CHAR has no spaces at its end.
    const trimmed = (id: Row): Row =>
      Object.fromEntries(
        Object.entries(id).map(([field, value]) => [
          field,
          typeof value === 'string' ? value.trimEnd() : value,
        ]),
      )
    return { ...each, model, ids: each.ids.map(trimmed), lookups: each.lookups.filter(isCompared) }
  })
}

function plan(
  model: string,
  id: string,
  lookups: readonly LookupPlan[],
  ids: readonly Row[],
  more: Partial<CachePlan> = {},
): CachePlan {
  return { name: model, model: models[model]!, id: id.split(' '), lookups, ids, ...more }
}

/** So that the ids of `'identity'` are part of it where the primary key cannot be an id. */
const identities = {
  Event: 'title',
  Team: 'name',
  Blob: 'name',
  Day: 'label',
  Hour: 'label',
}

export const tables = [
  ...new Set([
    ...Object.values(models).map(({ table }) => table),
    '_AccountToTeam',
    '_LabelToPost',
    '_Similar',
  ]),
]

/** What the log has of rows from before a change. */
export async function setIdentity(
  { sql }: FollowWorld,
  identity: 'keys' | 'default' | 'full',
): Promise<void> {
  const kind = identity === 'full' ? 'FULL' : 'DEFAULT'
  const statements = tables.map((table) => `ALTER TABLE "${table}" REPLICA IDENTITY ${kind}`)
  if (identity === 'keys')
    for (const [table, column] of Object.entries(identities))
      statements.push(`ALTER TABLE "${table}" REPLICA IDENTITY USING INDEX "${table}_${column}_key"`)
  await sql.query(statements.join(';'))
}

export interface FollowedCaches {
  /** Of the follower. */
  readonly warnings: readonly string[]
  /** Waits until the follower has taken everything that was committed, and compares what changed in all processes. @throws */
  check(title: string, isWhole?: boolean): Promise<void>
  /** The share of reads that found something stored since the last call. */
  hitRatio(): number
  close(): Promise<void>
}

/** Follows three processes, one of which holds rows in memory, and a plain client that says what is right. */
export async function openFollowedCaches(world: FollowWorld, ids: Ids): Promise<FollowedCaches> {
  const followed = plansOn(world, ids)
  const shared = await Promise.all(
    [definitionsOf(followed), definitionsOf(followed)].map((each) => world.openPod(each)),
  )
  const holding = await world.openPod(definitionsOf(followed, { l1: { ttl: '1h' } }))
  const pods = [...shared, holding]
  const plain = world.plainClient()
  const known = new Map(followed.map((each) => [each, new KnownKeys(each)]))
  let snapshot: ReadonlyMap<string, readonly Row[]> = new Map()
  const check = async (title: string, isWhole = true): Promise<void> => {
    const before = snapshot
    snapshot = await readDatabase(plain)
    const isChanged = ({ lookups, model }: CachePlan): boolean =>
      [model.name, ...lookups.flatMap((each) => each.through?.model ?? [])].some(
        (name) => show(before.get(name)) !== show(snapshot.get(name)),
      )
    const compared = [...known].filter(([each]) => isWhole || isChanged(each))
    const read = (pod: (typeof pods)[number]): Promise<string[]> =>
      differences(pod.caches, compared, snapshot).finally(() => drain(pod))
    for (const [, keys] of compared) keys.note(snapshot)
    const stale = (await Promise.all(shared.map(read))).flat()
    if (stale.length > 0) throw new Error(`Stale after ${title}:\n${stale.slice(0, 5).join('\n')}`)
    // What it holds in memory is removed by a message.
    let held: string[] = []
    await eventuallyEqual(async () => (held = await read(holding)).length, 0).catch(() => {
      throw new Error(`Held in memory after ${title}:\n${held.slice(0, 5).join('\n')}`)
    })
  }
  // Caches describe themselves when they are read first, so that the follower begins with all of them.
  await check('no write')
  const { warnings } = await world.follow({ caches: followed.length })
  // Following begins with empty caches.
  await check('the start')
  return {
    warnings,
    check: async (title, isWhole) => {
      await untilTaken(world)
      await check(title, isWhole)
    },
    hitRatio() {
      let [hits, all] = [0, 0]
      for (const { counts } of pods)
        for (const [name, count] of counts as Map<string, number>) {
          if (!/ reads (?:l1|store) /.test(name)) continue
          all += count
          if (name.endsWith(' hit')) hits += count
          ;(counts as Map<string, number>).delete(name)
        }
      return hits / all
    },
    close: () => plain.$disconnect(),
  }
}

/** Resolves when followers have confirmed everything that was committed until now, with `synchronous_commit`. */
export async function untilTaken(world: FollowWorld): Promise<void> {
  const { sql } = world
  if (world.dialect.kind.provider === 'mysql') return untilNoted(world)
  const { rows } = await sql.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn() AS lsn')
  await eventually(async () => {
    const { rows: slots } = await sql.query<{ taken: boolean }>(
      'SELECT confirmed_flush_lsn >= $1::pg_lsn AS taken FROM pg_replication_slots WHERE database = current_database()',
      [rows[0]!.lsn],
    )
    return slots.length > 0 && slots.every(({ taken }) => taken)
  })
}

/** Where the log of MySQL or MariaDB ends. */
export async function endOfBinlog({
  sql,
}: Pick<FollowWorld, 'sql'>): Promise<{ File: string; Position: number }> {
  const { rows: servers } = await sql.query<{ version: string }>('SELECT version() AS version')
  const { version } = servers[0]!
  // MySQL renamed it.
  const isNew = !/mariadb/i.test(version) && Number(version.split('.', 2).join('.')) >= 8.2
  const { rows } = await sql.query<{ File: string; Position: number }>(
    isNew ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS',
  )
  return rows[0]!
}

/** The same on MySQL, by what followers note in the store. */
async function untilNoted({ admin, namespace, sql }: FollowWorld): Promise<void> {
  const { File: file, Position: offset } = await endOfBinlog({ sql })
  const end = BigInt(/\d+$/.exec(file)![0]) * (1n << 40n) + BigInt(offset)
  await eventually(async () => {
    const [key] = await admin.keys(`${namespace}:{follow}:log:*`)
    const note = key === undefined ? null : await admin.get(key)
    return BigInt(/"position":"(\d+)"/.exec(note ?? '')?.[1] ?? 0) >= end
  })
}

type AnyCache = ReadThroughCache<object, never>
type Caches = Readonly<Record<string, AnyCache>>

async function drain({ caches }: { readonly caches: object }): Promise<void> {
  for (const cache of Object.values(caches as Caches)) await cache.drain()
}

function definitionsOf(followed: readonly CachePlan[], options: object = {}): Record<string, never> {
  return Object.fromEntries(
    followed.map(({ dependsOn, id, lookups, model, name }) => {
      const named = (isUnique: boolean) =>
        lookups
          .filter((each) => (each.isUnique ?? false) === isUnique)
          .map((each) => [each.name, optionsOf(each)])
      return [
        name,
        defineWithLookups<never>(model.name, {
          name,
          id: id.length === 1 ? id[0] : id,
          notFoundTtl: '1h',
          unique: Object.fromEntries(named(true)) as object,
          lists: Object.fromEntries(named(false)) as object,
          ...(dependsOn && { dependsOn }),
          ...options,
        }),
      ]
    }),
  )
}

function optionsOf({ by, isUnique, limit, orderBy, through, where }: LookupPlan): unknown {
  const key = by.length === 1 ? by[0] : by
  if (isUnique) return key
  return {
    ...(through ? { through: through.relation } : { by: key }),
    ...(orderBy && { orderBy: { [orderBy]: 'asc' } }),
    ...(limit && { limit }),
    ...(where && { where }),
  }
}

/** Ids and keys that a row ever had, or may get. */
class KnownKeys {
  readonly ids = new Map<string, Row>()
  readonly #keys = new Map<LookupPlan, Map<string, Row>>()
  readonly #plan: CachePlan

  constructor(cache: CachePlan) {
    this.#plan = cache
    for (const id of cache.ids) this.ids.set(show(id).toLowerCase(), id)
  }

  keysOf(lookup: LookupPlan): ReadonlyMap<string, Row> {
    return this.#keys.get(lookup) ?? new Map<string, Row>()
  }

  note(snapshot: ReadonlyMap<string, readonly Row[]>): void {
    const { id, lookups, model } = this.#plan
    for (const row of snapshot.get(model.name)!) this.#add(this.ids, id, row)
    for (const lookup of lookups) {
      const keys = this.#keys.get(lookup) ?? new Map<string, Row>()
      this.#keys.set(lookup, keys)
      for (const row of snapshot.get(lookup.through?.model ?? model.name)!) this.#add(keys, lookup.by, row)
    }
  }

  #add(known: Map<string, Row>, fields: readonly string[], row: Row): void {
    const key = pick(row, fields)
    // One spelling of each, the last one.
    if (Object.values(key).every((value) => value !== null)) known.set(show(key).toLowerCase(), key)
  }
}

/** The rows of all models as a plain client reads them, with the keys of rows that they are connected to. */
async function readDatabase(plain: PrismaClient): Promise<ReadonlyMap<string, readonly Row[]>> {
  const entries = Object.values(models).map(async ({ name, relations }) => {
    const joins = Object.entries(relations).filter(([, { isJoinTable }]) => isJoinTable)
    const delegate = (plain as unknown as Record<string, { findMany(args: object): Promise<Row[]> }>)[
      delegateOf(name)
    ]!
    const rows = await delegate.findMany({
      ...(joins.length > 0 && { include: Object.fromEntries(joins.map(([relation]) => [relation, true])) }),
    })
    return [name, rows.toSorted((one, other) => (show(one) < show(other) ? -1 : 1))] as const
  })
  return new Map(await Promise.all(entries))
}

async function differences(
  caches: object,
  compared: readonly (readonly [CachePlan, KnownKeys])[],
  snapshot: ReadonlyMap<string, readonly Row[]>,
): Promise<string[]> {
  const found = compared.map(async ([cache, keys]) => {
    const { id, lookups, model, name } = cache
    const rows = snapshot.get(model.name)!
    const fields = Object.keys(model.fields)
    const reader = (caches as Caches)[name]! as unknown as Reader
    const differing: string[] = []
    const compare = (title: string, key: Row, actual: unknown, expected: unknown): void => {
      const shown = [expected, actual].map((answer) => show(answer, { sortsKeys: true }))
      if (shown[0] !== shown[1])
        differing.push(
          `${name} ${title} ${show(key)}\n  database: ${shown[0]}\n  cache:    ${shown[1]}`.slice(0, 2_000),
        )
    }
    const plainRow = (row: Row | undefined): Row | null => (row ? pick(row, fields) : null)
    const reads = lookups.map(async (lookup) => {
      const asked = [...keys.keysOf(lookup).values()]
      const given = asked.map((key) => (lookup.by.length === 1 ? key[lookup.by[0]!] : key))
      if (lookup.isUnique) {
        const answers = await reader.getManyBy(lookup.name, given)
        for (const [i, key] of asked.entries())
          compare(
            lookup.name,
            key,
            answers[i] && pick(answers[i], fields),
            plainRow(rows.find((row) => has(row, key))),
          )
        return
      }
      const answers = await reader.listMany(lookup.name, given)
      // Without an order, it is that in which the database returned the rows when the list was loaded.
      const inOrder = (found: readonly Row[]): readonly Row[] =>
        lookup.orderBy || lookup.limit ? found : sorted(found, id)
      for (const [i, key] of asked.entries())
        compare(
          lookup.name,
          key,
          inOrder(answers[i]!).map((row) => pick(row, fields)),
          listOf(cache, lookup, key, rows).map(plainRow),
        )
    })
    const asked = [...keys.ids.values()]
    const answers = await reader.getMany(asked.map((key) => (id.length === 1 ? key[id[0]!] : key)))
    for (const [i, key] of asked.entries())
      compare('row', key, answers[i] && pick(answers[i], fields), plainRow(rows.find((row) => has(row, key))))
    await Promise.all(reads)
    return differing
  })
  return (await Promise.all(found)).flat()
}

interface Reader {
  getMany(ids: readonly unknown[]): Promise<(Row | null)[]>
  getManyBy(name: string, keys: readonly unknown[]): Promise<(Row | null)[]>
  listMany(name: string, keys: readonly unknown[]): Promise<Row[][]>
}

/** The list that the database has for a key. */
function listOf({ id }: CachePlan, lookup: LookupPlan, key: Row, rows: readonly Row[]): Row[] {
  const { limit, orderBy, through, where = {} } = lookup
  const listed = rows.filter(
    (row) =>
      has(row, where) &&
      (through ? (row[through.relation] as Row[]).some((other) => has(other, key)) : has(row, key)),
  )
  const order = [...(orderBy ? [orderBy] : []), ...id]
  return sorted(listed, order).slice(0, limit)
}

function sorted(rows: readonly Row[], order: readonly string[]): Row[] {
  return rows.toSorted((one, other) => {
    for (const field of order) {
      const [a, b] = [sortable(one, field), sortable(other, field)]
      if (a !== b) return a === null || (b !== null && a > b) ? 1 : -1
    }
    return 0
  })
}

function sortable(row: Row, field: string): string | number | bigint | null {
  const value = folded(field, row[field])
  const roles = ['MEMBER', 'ADMIN', 'GUEST']
  return typeof value === 'string' && roles.includes(value) ? roles.indexOf(value) : (value as string)
}

function has(row: Row, values: Row): boolean {
  return Object.entries(values).every(([field, value]) => {
    const [one, other] = [folded(field, row[field]), folded(field, value)]
    return one === other || (typeof one === 'object' && show(one) === show(other))
  })
}

/** PostgreSQL compares citext without case. */
function folded(field: string, value: unknown): unknown {
  return field === 'email' ? (value as string).toLowerCase() : value
}

function pick(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field]]))
}
