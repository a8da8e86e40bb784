import type { AnsweringCache } from '../../read-caches.js'
import type { ExtensionList } from '../client-extensions.js'
import { AnsweredModels } from './answered-models.js'
import type { ReadableCache, ReadModels } from './readable-cache.js'

interface Counted extends AnsweringCache {
  readonly counts: string[]
}

function cacheOf(name: string, { model = 'Post', fields = ['id'], canAnswer = true } = {}): Counted {
  const counts: string[] = []
  const countRead = (outcome: string, count: number) => counts.push(`${outcome} ${count}`)
  return { name, model, fields, countRead, counts, canAnswer } as unknown as Counted
}

/** The caches of an application, which come and go. */
function opened(names?: Record<string, readonly string[]>) {
  let existing: readonly AnsweringCache[] = []
  const caches = { version: 0, all: () => existing, isInTransaction: false, results: undefined }
  const facts: ReadModels = {
    version: 0,
    scalarsOf: () => ['id', 'title'],
    relationNamesOf: () => new Set(),
    relationsOf: () => new Map(),
    readable: (cache) =>
      (cache as unknown as { canAnswer: boolean }).canAnswer
        ? ({ cache, fields: new Set(cache.fields) } as unknown as ReadableCache)
        : undefined,
  }
  const chosen = names && new Map(Object.entries(names).map(([model, each]) => [model, new Set(each)]))
  const answered = new AnsweredModels({}, caches, chosen, facts)
  return {
    answered,
    set: (...next: readonly AnsweringCache[]) => {
      existing = next
      caches.version++
    },
    namesOf: (model: string) => answered.of(model)?.caches.map(({ cache }) => cache.name),
  }
}

describe('the caches that answer', () => {
  it('are those of the model that exist, the ones with the most fields first', () => {
    const { answered, namesOf, set } = opened()
    expect(namesOf('Post')).toBeUndefined()
    const [small, large] = [cacheOf('Small'), cacheOf('Large', { fields: ['id', 'title'] })]
    set(small, large, cacheOf('Tag', { model: 'Tag' }))
    expect(namesOf('Post')).toEqual(['Large', 'Small'])
    expect(answered.answered()).toEqual(['Post', 'Tag'])
    set(small)
    expect(namesOf('Post')).toEqual(['Small'])
    expect(namesOf('Tag')).toEqual([])
    expect(answered.answered()).toEqual(['Post'])
  })

  it('are looked up again only if caches were added or removed', () => {
    const { answered, namesOf, set } = opened()
    const post = cacheOf('Post')
    set(post)
    const [first] = answered.of('Post')!.caches
    set(post, cacheOf('Tag', { model: 'Tag' }))
    expect(answered.of('Post')!.caches[0]).toBe(first)
    const again = cacheOf('Post', { fields: ['id', 'title'] })
    set(again)
    expect(answered.of('Post')!.caches.map(({ cache }) => cache)).toEqual([again])
    expect(namesOf('Tag')).toEqual([])
  })

  it('are the named ones, whose models are known before their caches exist', () => {
    const { answered, namesOf, set } = opened({ Post: ['Posts'], Tag: ['Tags'] })
    expect(namesOf('Post')).toEqual([])
    expect(answered.answered()).toEqual([])
    set(cacheOf('Posts'), cacheOf('Titles'), cacheOf('User', { model: 'User' }))
    expect([namesOf('Post'), namesOf('Tag'), namesOf('User')]).toEqual([['Posts'], [], undefined])
    expect(answered.answered()).toEqual(['Post'])
  })

  it('are none whose rows cannot be requested as queries do', () => {
    const { answered, namesOf, set } = opened()
    set(cacheOf('Post', { canAnswer: false }))
    expect(namesOf('Post')).toEqual([])
    expect(answered.answered()).toEqual([])
  })
})

describe('queries that no cache answers', () => {
  it('are counted by the cache that has the most fields', () => {
    const { answered, set } = opened()
    const [small, large] = [cacheOf('Small'), cacheOf('Large', { fields: ['id', 'title'] })]
    set(small, large)
    answered.of('Post')!.count('condition')
    expect([small.counts, large.counts]).toEqual([[], ['condition 1']])
  })

  it('are counted by a cache that cannot answer, if there is no other', () => {
    const { answered, set } = opened()
    const post = cacheOf('Post', { canAnswer: false })
    set(post)
    answered.of('Post')!.count('not_registered')
    expect(post.counts).toEqual(['not_registered 1'])
  })

  it('are counted together by the first cache, if they came before it', () => {
    const { answered, set } = opened({ Post: ['Post'] })
    answered.of('Post')!.count('not_registered')
    answered.of('Post')!.count('transaction')
    const post = cacheOf('Post')
    set(post)
    answered.of('Post')!.count('order')
    expect(post.counts).toEqual(['not_registered 2', 'order 1'])
    const other = cacheOf('Post')
    set(other)
    answered.of('Post')!.count('order')
    expect([post.counts.length, other.counts]).toEqual([2, ['order 1']])
  })

  it('are counted by a cache that still exists', () => {
    const { answered, set } = opened()
    const [small, large] = [cacheOf('Small'), cacheOf('Large', { fields: ['id', 'title'] })]
    set(small, large)
    answered.of('Post')!.count('condition')
    set(small)
    answered.of('Post')!.count('order')
    expect([small.counts, large.counts]).toEqual([['order 1'], ['condition 1']])
  })

  it.each([true, false])(
    'are counted by the next cache, after the last one has ended (one that can answer: %j)',
    (canAnswer) => {
      const { answered, set } = opened()
      const post = cacheOf('Post', { canAnswer })
      set(post)
      answered.of('Post')!.count('order')
      set()
      answered.of('Post')!.count('not_registered')
      expect(post.counts).toEqual(['order 1'])
      const next = cacheOf('Post')
      set(next)
      answered.of('Post')!.count('order')
      expect([post.counts, next.counts]).toEqual([['order 1'], ['not_registered 1', 'order 1']])
    },
  )
})

describe('the extensions of a client', () => {
  const listOf = (change: Partial<ExtensionList> = {}): ExtensionList => ({
    getAllComputedFields: () => undefined,
    getAllClientExtensions: () => undefined,
    getAllModelExtensions: () => undefined,
    getAllQueryCallbacks: () => [],
    getAllBatchQueryCallbacks: () => [],
    ...change,
  })

  it('are read once, and what queries of a model select as well', () => {
    const { answered } = opened()
    const list = listOf()
    const extensions = answered.extensionsOf(list)
    expect(answered.extensionsOf(list)).toBe(extensions)
    expect(answered.extensionsOf(listOf())).not.toBe(extensions)
    expect(extensions.selectionsOf('Post')).toBe(extensions.selectionsOf('Post'))
    expect(extensions.selectionsOf('Post')).not.toBe(extensions.selectionsOf('Tag'))
    expect(extensions.selectionsOf('Post').of({})).toMatchObject({ fields: ['id', 'title'] })
  })

  it('may replace how queries are sent, or add fields', () => {
    const { answered } = opened()
    const { isUncached, replacesSending } = answered.extensionsOf(listOf())
    expect([isUncached, replacesSending]).toEqual([false, false])
    const sending = listOf({ getAllBatchQueryCallbacks: () => [() => {}] })
    expect(answered.extensionsOf(sending).replacesSending).toBe(true)
    const heading = { name: 'heading', needs: ['title'] }
    const computing = listOf({ getAllComputedFields: () => ({ heading }) })
    const selections = answered.extensionsOf(computing).selectionsOf('Post')
    expect(selections.of({ select: { heading: true } })).toMatchObject({ fields: ['title'] })
  })
})
