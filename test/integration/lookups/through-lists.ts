/** Lists through each many-to-many relation of the schema of `differential`, in both directions. */
import { Decimal } from '@prisma/client/runtime/client'
import type { ReadThroughCache } from 'model-cache/advanced'
import type { PrismaClient } from '../differential/client/client.ts'
import type { LookupWorld } from './lookup-pods.js'
import { defineWithLookups } from './posts.js'

/** A list through a relation, and what it is in Prisma. */
interface List {
  readonly delegate: 'post' | 'label' | 'account' | 'team'
  readonly name: string
  readonly through: string
  readonly key: string
  readonly keys: readonly unknown[]
  readonly orderBy?: object
  readonly where?: object
  readonly limit?: number
}

const labels = ['l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'new']
const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9]
const byLabel = { delegate: 'post', through: 'labels', key: 'name', keys: labels } as const
const lists: readonly List[] = [
  { ...byLabel, name: 'withLabel', orderBy: { title: 'asc' } },
  { ...byLabel, name: 'firstTwo', orderBy: { title: 'desc' }, limit: 2 },
  { ...byLabel, name: 'unedited', where: { editorId: null } },
  { delegate: 'label', name: 'withPost', through: 'posts', key: 'id', keys: ids.map(BigInt) },
  { delegate: 'label', name: 'similar', through: 'similar', key: 'name', keys: labels },
  { delegate: 'label', name: 'similarTo', through: 'similarTo', key: 'name', keys: labels },
  { delegate: 'account', name: 'inTeam', through: 'teams', key: 'code', keys: ['1.25', '2.5', '3.75', '5'] },
  { delegate: 'team', name: 'ofAccount', through: 'accounts', key: 'id', keys: ids },
]

const idFields = { post: 'id', label: 'name', account: 'id', team: 'code' } as const

function define(delegate: List['delegate'], model: string, options: object = {}) {
  const own = lists.filter((list) => list.delegate === delegate)
  const named = own.map(({ name, through, orderBy, where, limit }) => [
    name,
    {
      through,
      orderBy: orderBy ?? { [idFields[delegate]]: 'asc' },
      ...(where && { where }),
      ...(limit && { limit }),
    },
  ])
  return defineWithLookups<never>(model, { lists: Object.fromEntries(named), ...options })
}

const definitions = {
  post: define('post', 'Post'),
  label: define('label', 'Label'),
  account: define('account', 'Account', { select: { id: true, name: true } }),
  team: define('team', 'Team'),
}

type Caches = Record<List['delegate'], ReadThroughCache<object, never>>
export type Write = (prisma: PrismaClient) => PromiseLike<unknown>

const show = (rows: unknown): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Key by key, what the lists of a process are, and those of the database. */
async function readAll(caches: Caches, prisma: PrismaClient) {
  const read: Record<string, string> = {}
  const found: Record<string, string> = {}
  for (const { delegate, name, through, key, keys, orderBy, where, limit } of lists) {
    const given = key === 'code' ? keys.map((code) => new Decimal(code as string)) : keys
    const rows = await (caches[delegate] as unknown as Lists).listMany(name, given)
    const findMany = (value: unknown): Promise<object[]> =>
      (prisma[delegate] as unknown as Delegate).findMany({
        where: { ...where, [through]: { some: { [key]: value } } },
        orderBy: [...(orderBy ? [orderBy] : []), { [idFields[delegate]]: 'asc' }],
        ...(limit !== undefined && { take: limit }),
        ...(delegate === 'account' && { select: { id: true, name: true } }),
      })
    const expected = await Promise.all(given.map(findMany))
    for (const [i, value] of given.entries()) {
      const at = `${delegate}.${name} ${String(value)}`
      read[at] = show(rows[i])
      found[at] = show(expected[i])
    }
  }
  for (const cache of Object.values(caches)) await cache.drain()
  return { read, found }
}

interface Lists {
  listMany(name: string, keys: readonly unknown[]): Promise<object[][]>
}
interface Delegate {
  findMany(args: object): Promise<object[]>
}

/**
 * Stores all lists, writes in another process, and expects of both that each list is that of the database.
 *
 * @returns the caches whose entries for keys that are not written are still stored
 */
export async function keptBy({ openPod, sql }: LookupWorld, write: Write): Promise<string[]> {
  await sql.query(`INSERT INTO "_LabelToPost" VALUES ('l1', 5), ('l1', 8)`)
  const [reader, writer] = [await openPod(definitions), await openPod(definitions)]
  const caches = reader.caches as unknown as Caches
  const before = await readAll(caches, writer.prisma)
  expect(before.read).toEqual(before.found)
  await write(writer.prisma)
  const kept: string[] = []
  for (const [delegate, list, key] of [
    ['post', 'withLabel', 'l6'],
    ['label', 'withPost', 7n],
    ['team', 'ofAccount', 7],
  ] as const)
    if ((await caches[delegate].explain(list as never, key as never)).stored.isHit) kept.push(delegate)
  const after = await readAll(caches, writer.prisma)
  // A write that changes no list would prove nothing.
  expect(after.found).not.toEqual(before.found)
  expect(after.read).toEqual(after.found)
  const elsewhere = await readAll(writer.caches as unknown as Caches, writer.prisma)
  expect(elsewhere.read).toEqual(elsewhere.found)
  return kept
}
