import { type Arrival, currentArrivals } from '../own-queries.js'
import { HookedLoads } from './hooked-loads.js'

const rows = [{ id: 1 }, { id: 2 }]
const asked = { id: { in: [1, 2] } }

interface Sent extends Partial<Arrival> {
  readonly where?: object
}

/** Loads by way of a hook that makes these queries of a load. */
function opened({ page = {}, readsReplicas = false } = {}) {
  const client = readsReplicas ? { $primary() {}, $replica() {} } : {}
  const loads = new HookedLoads({
    name: 'Players',
    model: 'Player',
    client,
    isOwnField: (field) => ['id', 'rank', 'deleted'].includes(field),
  })
  const by = (kind: 'byIds' | 'byLookup') => (where: object, queries: readonly Sent[], given?: unknown[]) =>
    loads[kind]({ where, ...page }, async () => {
      for (const { where: own, ...change } of queries) {
        const result = Promise.resolve(rows)
        const args = own && { where: own }
        const arrival = { model: 'Player', action: 'findMany', isInTransaction: false, result, ...change }
        currentArrivals()!({ args: args ?? {}, ...arrival })
      }
      return given ?? rows
    })
  return { byIds: by('byIds'), byLookup: by('byLookup') }
}

const refused = (what: string) => ({
  code: 'E_LOAD_HOOKS',
  message: expect.stringContaining(
    `ModelCache "Players": a query extension of the client ${what}, so`,
  ) as unknown,
})
const replaced = refused('replaces the condition of its loads')
const ofOthers = refused('adds a condition about rows of other models to its loads')
const unsent = refused('does not send its loads to the database')

describe('loads by ids', () => {
  it.each<[string, object, object]>([
    ['the same condition', asked, asked],
    ['the same in AND', asked, { AND: [asked] }],
    ['the same in an object AND', asked, { AND: asked }],
    ['what is undefined', asked, { ...asked, deleted: undefined }],
    ['a condition on a field of the rows', asked, { AND: [asked, { AND: [{ deleted: false }] }] }],
    ['alternatives', asked, { ...asked, OR: [{ deleted: false }, { AND: { rank: 1 } }] }],
    ['a negation', asked, { ...asked, NOT: { rank: { gt: 5 } } }],
    ['a large number', { id: { in: [1n] } }, { id: { in: [1n] }, rank: { lt: 2n } }],
  ])('take %s', async (_, where, own) => {
    expect(await opened().byIds(where, [{ where: own }])).toBe(rows)
  })

  it.each<[string, object | undefined, object]>([
    ['none', undefined, replaced],
    ['another condition instead', { rank: 1 }, replaced],
    ['an alternative to it', { OR: [asked, { rank: 1 }] }, replaced],
    ['text instead of numbers', { id: { in: ['1', '2'] } }, replaced],
    ['a relation', { AND: [asked, { team: { deleted: false } }] }, ofOthers],
    ['a relation in an alternative', { ...asked, OR: [{ deleted: false }, { team: {} }] }, ofOthers],
    ['a negated relation', { ...asked, NOT: { team: {} } }, ofOthers],
  ])('refuse %s', async (_, where, error) => {
    await expect(opened().byIds(asked, [where ? { where } : {}])).rejects.toMatchObject(error)
  })

  it.each<[string, object, object]>([
    ['a part of the condition', { ...asked, rank: 1 }, asked],
    ['text instead of a large number', { id: { in: [1n] } }, { id: { in: ['1'] } }],
  ])('refuse %s', async (_, where, own) => {
    await expect(opened().byIds(where, [{ where: own }])).rejects.toMatchObject(replaced)
  })

  it.each<[string, object]>([
    ['cursor', { cursor: { id: 1 } }],
    ['distinct', { distinct: ['rank'] }],
    ['skip, take', { skip: 0, take: 100 }],
    ['take', { take: 100 }],
  ])('refuse a hook that sets %s, as rows that are left out count as missing', async (names, own) => {
    const sets = refused(`sets ${names} for its loads`)
    await expect(opened().byIds(asked, [{ args: { where: asked, ...own } }])).rejects.toMatchObject(sets)
  })

  it('take an order', async () => {
    expect(await opened().byIds(asked, [{ args: { where: asked, orderBy: { rank: 'asc' } } }])).toBe(rows)
  })

  it('refuse a transaction', async () => {
    await expect(opened().byIds(asked, [{ where: asked, isInTransaction: true }])).rejects.toMatchObject(
      refused('puts its loads into a transaction'),
    )
  })

  it('refuse a hook that sends none, or only queries of its own', async () => {
    const own = [
      { model: 'Team', where: asked },
      { action: 'count', where: asked },
    ]
    await expect(opened().byIds(asked, [])).rejects.toMatchObject(unsent)
    await expect(opened().byIds(asked, own)).rejects.toMatchObject(unsent)
    expect(await opened().byIds(asked, [{ where: asked }, ...own])).toBe(rows)
  })

  it('take what is sent to a replica, which nobody sees, and look at what is not', async () => {
    const { byIds } = opened({ readsReplicas: true })
    expect(await byIds(asked, [])).toBe(rows)
    await expect(byIds(asked, [{ where: {} }])).rejects.toMatchObject(replaced)
  })

  it('refuse another condition than that of the first load', async () => {
    const { byIds } = opened()
    const adding = (condition: object) => byIds(asked, [{ where: { AND: [asked, condition] } }])
    const changed = refused('does not add the same condition to each of its loads')
    await adding({ rank: 1 })
    await adding({ rank: 1 })
    await expect(adding({ rank: 2 })).rejects.toMatchObject(changed)
    await expect(adding({})).rejects.toMatchObject(changed)
    await adding({ rank: 1 })
  })
})

describe('loads by unique keys and lists', () => {
  const filtered = (by: string) => refused(`filters its unique keys and lists${by}`)
  const where = { rank: 1 }
  const page = { orderBy: [{ id: 'asc' }], take: 2 }

  it('take a hook that changes nothing', async () => {
    expect(await opened().byLookup(where, [{ where: { AND: [where] } }])).toBe(rows)
  })

  it('take a hook that keeps their order and their limit', async () => {
    expect(await opened({ page }).byLookup(where, [{ args: { ...page, where } }])).toBe(rows)
  })

  it.each<[string, object]>([
    ['take', { take: 1 }],
    ['skip, take', { skip: 1, take: undefined }],
    ['orderBy', { orderBy: [{ id: 'desc' }] }],
  ])('refuse a hook that sets %s', async (names, own) => {
    const sets = refused(`sets ${names} for its loads`)
    const args = { ...page, where, ...own }
    await expect(opened({ page }).byLookup(where, [{ args }])).rejects.toMatchObject(sets)
  })

  it('refuse added conditions, and name their fields', async () => {
    const own = { AND: [where, { deleted: false, team: {} }] }
    await expect(opened().byLookup(where, [{ where: own }])).rejects.toMatchObject(
      filtered(' by deleted, team'),
    )
  })

  it('refuse a hook that leaves out rows', async () => {
    await expect(opened().byLookup(where, [{ where }], [rows[0]])).rejects.toMatchObject(filtered(''))
  })

  it('refuse what is sent to a replica, which nobody sees', async () => {
    await expect(opened({ readsReplicas: true }).byLookup(asked, [])).rejects.toMatchObject(unsent)
  })
})
