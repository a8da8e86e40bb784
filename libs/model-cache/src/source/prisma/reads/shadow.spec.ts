import type { AnsweringCache } from '../../read-caches.js'
import type { ReadPlan } from './read-plan.js'
import { comparedRows, Shadow } from './shadow.js'

const old = { id: 1, name: 'old' }
const fresh = { id: 1, name: 'new' }

/** Values in their order, the last one again and again. */
const each =
  (...values: readonly unknown[]) =>
  async (): Promise<unknown> => {
    const [value] = values
    if (values.length > 1) values = values.slice(1)
    if (value instanceof Error) throw value
    return value
  }

interface Read {
  /** What the database answers first. */
  readonly result?: unknown
  /** What it answers later. */
  readonly query?: () => Promise<unknown>
  /** What the cache answers. */
  readonly answer: () => Promise<unknown>
  readonly plan?: object
  readonly name?: string
  readonly text?: string
}

/** Compares reads with one shadow, and collects the warnings. */
function opened() {
  const shadow = new Shadow()
  const warnings: string[] = []
  /** The reasons why the database would have answered; undefined for a query that the cache would have. */
  const counted: (string | undefined)[] = []
  const outcomeOf = ({
    result = old,
    query = each(result),
    answer,
    plan,
    name = 'Posts',
    text = 'any',
  }: Read) =>
    new Promise<string | undefined>((resolve) => {
      const warn = (message: string) => warnings.push(message)
      const cache = { name, countShadow: resolve, warn } as unknown as AnsweringCache
      const readable = { cache, id: { fields: [{ name: 'id' }] } }
      const rows = {
        selection: { isOrdered: false, take: Infinity },
        projection: { relations: [] },
        related: [],
      }
      const readPlan = { readable, ...rows, ...plan } as unknown as ReadPlan
      const count = (reason?: string): void => {
        counted.push(reason)
        // Without an outcome of the comparison.
        if (reason !== undefined) setImmediate(resolve, undefined)
      }
      shadow.compare({ ...comparedRows(readPlan), answer, query, text: () => text, count }, result)
    })
  return { outcomeOf, warnings, counted }
}

describe('a read in shadow mode', () => {
  it('counts as same if the cache answers as the database did', async () => {
    const { outcomeOf, warnings } = opened()
    const query = each(new Error('asked again'))
    expect(await outcomeOf({ query, answer: each({ ...old }) })).toBe('same')
    expect(warnings).toEqual([])
  })

  it('compares what the database has answered, whatever the caller does with it', async () => {
    const { outcomeOf } = opened()
    const result = { ...old }
    const outcome = outcomeOf({ result, query: each(fresh), answer: each({ ...old }) })
    result.name = 'changed'
    expect(await outcome).toBe('same')
  })

  it('is compared again if it differs, as a write may have come between', async () => {
    const { outcomeOf, warnings } = opened()
    expect(await outcomeOf({ query: each(fresh), answer: each(fresh) })).toBe('same')
    expect(await outcomeOf({ answer: each(fresh, old) })).toBe('same')
    expect(await outcomeOf({ answer: each(fresh, fresh, old) })).toBe('same')
    expect(warnings).toEqual([])
  })

  it('counts as different if it still differs, with one warning for each field', async () => {
    const { outcomeOf, warnings } = opened()
    expect(await outcomeOf({ answer: each(fresh) })).toBe('different')
    expect(warnings).toEqual([expect.stringMatching(/^ModelCache "Posts": .* differ in name, /)])
    expect(await outcomeOf({ answer: each(fresh) })).toBe('different')
    expect(warnings).toHaveLength(1)
    expect(await outcomeOf({ answer: each({ ...fresh, id: 2 }) })).toBe('different')
    expect(warnings[1]).toMatch(/differ in id, /)
    expect(await outcomeOf({ answer: each(fresh), name: 'Titles' })).toBe('different')
    expect(warnings[2]).toMatch(/^ModelCache "Titles"/)
  })

  it('says nothing if it is written again meanwhile, or if the cache does not answer then', async () => {
    const { outcomeOf, warnings } = opened()
    const query = each(old, old, { ...old, name: 'newest' })
    expect(await outcomeOf({ query, answer: each(fresh) })).toBe('skipped')
    expect(await outcomeOf({ answer: each(fresh, 'paging') })).toBe('skipped')
    expect(warnings).toEqual([])
  })

  it('counts once as one that the cache would have answered, or with the reason why not', async () => {
    const { counted, outcomeOf } = opened()
    await outcomeOf({ answer: each(old) })
    await outcomeOf({ answer: each(fresh, old) })
    expect(counted).toEqual([undefined, undefined])
    expect(await outcomeOf({ answer: each('paging') })).toBeUndefined()
    expect(counted.slice(2)).toEqual(['paging'])
  })

  it('counts an error of the cache, or of the database', async () => {
    const { counted, outcomeOf } = opened()
    expect(await outcomeOf({ answer: each(new Error('no cache')) })).toBe('error')
    expect(await outcomeOf({ query: each(new Error('no database')), answer: each(fresh) })).toBe('error')
    expect(counted).toEqual(['error', undefined])
  })

  it('says nothing if the row of a query that throws without one is deleted meanwhile', async () => {
    const { counted, outcomeOf, warnings } = opened()
    const gone = Object.assign(new Error('no row'), { code: 'P2025' })
    expect(await outcomeOf({ query: each(gone), answer: each(null) })).toBe('skipped')
    expect(await outcomeOf({ answer: each(gone) })).toBe('skipped')
    expect(counted).toEqual([undefined, undefined])
    expect(warnings).toEqual([])
  })

  it('counts as reordered if only the order of rows differs that the database need not keep, with one warning for each query', async () => {
    const { outcomeOf, warnings } = opened()
    const [one, other] = [old, { id: 2, name: 'other' }]
    const reordered = (text: string) => outcomeOf({ result: [one, other], answer: each([other, one]), text })
    expect(await reordered('Post.findMany({})')).toBe('reordered')
    expect(await reordered('Post.findMany({})')).toBe('reordered')
    expect(warnings).toEqual([
      expect.stringMatching(/^ModelCache "Posts": .* rows of Post\.findMany\({}\) in another order/),
    ])
    expect(await reordered('Post.findMany({ take: 5 })')).toBe('reordered')
    expect(warnings).toHaveLength(2)
    expect(await outcomeOf({ result: [one, other], answer: each([one, { ...other }]) })).toBe('same')
  })

  it('is skipped beyond eight at once', async () => {
    const { outcomeOf } = opened()
    const { promise: asked, resolve } = Promise.withResolvers<unknown>()
    const running = Array.from({ length: 8 }, () => outcomeOf({ answer: () => asked }))
    expect(await outcomeOf({ answer: each(old) })).toBe('skipped')
    resolve(old)
    expect(await Promise.all(running)).toEqual(Array<string>(8).fill('same'))
    expect(await outcomeOf({ answer: each(old) })).toBe('same')
  })

  it('is skipped if the database may end its list at any of several rows', async () => {
    const { outcomeOf } = opened()
    const list = (selection: object, others: object = {}) =>
      outcomeOf({ result: [old], answer: each([old]), plan: { selection, related: [], ...others } })
    const areTied = (): boolean => true
    const [whole, short] = [undefined, 5].map((limit) => ({ list: { lookup: { limit } } }))
    expect(await list({ isOrdered: false, take: 1 })).toBe('skipped')
    expect(await list({ isOrdered: false, take: 1, areTied }, whole)).toBe('same')
    expect(await list({ isOrdered: false, take: 1, areTied }, short)).toBe('skipped')
    expect(await list({ isOrdered: false, take: 1, areTied }, { link: short })).toBe('skipped')
    expect(await list({ isOrdered: false, take: 1, areTied }, { link: whole })).toBe('same')
    expect(await list({ isOrdered: false, take: 1, areTied }, { link: { key: {} } })).toBe('same')
    expect(await list({ isOrdered: true, take: 1 })).toBe('same')
    expect(await list({ isOrdered: false, take: Infinity })).toBe('same')
    const ofRelation = (related: object) => outcomeOf({ answer: each(old), plan: { related: [related] } })
    const cut = { selection: { isOrdered: false, take: 1 }, related: [] }
    expect(await ofRelation(cut)).toBe('skipped')
    expect(await ofRelation({ ...cut, selection: { isOrdered: true, take: 1 } })).toBe('same')
    expect(await ofRelation({ counts: new Map() })).toBe('same')
  })
})
