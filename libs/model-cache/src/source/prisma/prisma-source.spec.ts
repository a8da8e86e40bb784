import { createPrismaLoadSource, createPrismaSource, type PrismaSourceOptions } from './prisma-source.js'

const options: PrismaSourceOptions = { name: 'Posts', model: 'Post', idFields: ['id'] }

/** A client that returns the queries which its models are sent. */
function clientOf(...delegates: readonly string[]): object {
  const findMany = async (query: object) => [query]
  return Object.fromEntries(delegates.map((name) => [name, { findMany }]))
}
const load = (idFields: readonly string[], ids: readonly unknown[], change: object = {}) =>
  createPrismaSource(clientOf('post'), { ...options, idFields, ...change }).load(ids)

describe('createPrismaSource', () => {
  it('loads all ids with one query, and selects what it is given', async () => {
    expect(await load(['id'], [1, 2])).toEqual([{ where: { id: { in: [1, 2] } } }])
    const select = { id: true }
    expect(await load(['id'], [1], { select })).toEqual([{ where: { id: { in: [1] } }, select }])
    const include = { tags: true }
    expect(await load(['id'], [1], { include })).toEqual([{ where: { id: { in: [1] } }, include }])
  })

  it('loads compound ids by their fields, and ignores other fields', async () => {
    const ids = [
      { org: 1, slug: 'a', title: 'A' },
      { org: 2, slug: 'b' },
    ]
    expect(await load(['org', 'slug'], ids)).toEqual([
      {
        where: {
          OR: [
            { org: 1, slug: 'a' },
            { org: 2, slug: 'b' },
          ],
        },
      },
    ])
  })

  it('loads fewer compound ids at once, and never more values than a statement takes', () => {
    const maxIds = (fields: number) =>
      createPrismaSource(clientOf('post'), { ...options, idFields: Array<string>(fields).fill('id') }).maxIds
    expect([1, 2, 3, 200].map(maxIds)).toEqual([5_000, 250, 250, 163])
  })

  it('finds rows through the client of a transaction', async () => {
    const tx = { post: { findMany: async (query: object) => [{ ...query, isInTransaction: true }] } }
    const source = createPrismaSource(clientOf('post'), options)
    const query = { where: { title: 'A' }, orderBy: [], take: 3 }
    expect(await source.find!(query)).toEqual([query])
    expect(await source.find!(query, tx)).toEqual([{ ...query, isInTransaction: true }])
    expect(await source.load([1], tx)).toMatchObject([{ isInTransaction: true }])
  })

  it('knows the transactions of its own PrismaClient', () => {
    const own = { _originalClient: {} }
    const { isOwnTransaction } = createPrismaSource({ ...clientOf('post'), ...own }, options)
    expect([own, { _originalClient: {} }, {}].map((tx) => isOwnTransaction!(tx))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('refuses a model that the client lacks, and names those that it has', () => {
    const client = Object.assign(Object.create(clientOf('inherited')) as object, clientOf('post', 'blogPost'))
    Object.assign(client, { $extends: () => client, $parent: clientOf('other'), _engine: null })
    for (const model of ['Missing', '$parent', '$extends', '_engine']) {
      const create = () => createPrismaSource(client, { ...options, model })
      expect(create).toThrow(expect.objectContaining({ code: 'E_UNKNOWN_MODEL' }))
      expect(create).toThrow(/Post, BlogPost, Inherited/)
    }
    expect(() => createPrismaSource(client, { ...options, model: 'BlogPost' })).not.toThrow()
  })

  it.each<[boolean, unknown]>([
    [true, { name: 'PrismaClientValidationError' }],
    [true, { code: 'P2023' }],
    [true, { code: 'P2000' }],
    [false, { code: 'P2024' }],
    [false, { code: 'P2037' }],
    [false, { code: 'P1001' }],
    [false, { code: 'P20' }],
    [false, { code: 'P20230' }],
    [false, { code: 'XP2023' }],
    [false, { code: 2023 }],
    [false, { code: ['P2023'] }],
    [false, new Error('lost')],
    [false, undefined],
  ])('%p: one id may have caused %j', (expected, error) => {
    expect(createPrismaSource(clientOf('post'), options).mayBlameOneId(error)).toBe(expected)
  })
})

describe('createPrismaLoadSource', () => {
  it('loads rows with the function, which gets the client', async () => {
    const client = clientOf('post')
    const source = createPrismaLoadSource((...given) => [given], client, options)
    expect(await source.load([1, 2])).toEqual([[client, [1, 2]]])
    const tx = {}
    const [given] = await source.load([1], tx)
    expect(given![0]).toBe(tx)
  })
})
