import type { CacheOptions, ModelCacheDefinition } from 'model-cache'
import type { Source, Store } from 'model-cache/advanced'
import { newGate, type Gate } from '../consistency/gates.js'
import { withMethods } from '../consistency/sabotage.js'
import { defineModelCache, type Pod } from './lookup-pods.js'

export interface Post {
  id: bigint
  slug: string
  title: string
  authorId: number
  editorId: number | null
}

type Address = Pick<Post, 'authorId' | 'slug'>

export interface PostKeys {
  readonly unique: { readonly address: Address }
  readonly lists: { readonly ofAuthor: number; readonly byTitle: number; readonly firstTwo: number }
}

type PostDefinition = ModelCacheDefinition<Post, bigint, PostKeys>

const lookups = {
  unique: { address: ['authorId', 'slug'] },
  lists: {
    ofAuthor: { by: 'authorId', orderBy: { slug: 'asc' } },
    byTitle: { by: 'authorId', orderBy: { title: 'asc' } },
    firstTwo: { by: 'authorId', orderBy: { slug: 'asc' }, limit: 2 },
  },
}

/** The posts of the schema of `differential`, with lookups. All of these definitions share their entries. */
export function definePosts(options: Partial<CacheOptions> = {}): PostDefinition {
  return defineWithLookups('Post', { ...lookups, ...options })
}

/** A definition with any lookups. */
export function defineWithLookups<Definition>(model: string, options: object): Definition {
  return defineModelCache(model as 'Post', { ttl: '1h', ...options } as never) as Definition
}

export type PostPod = Pod<{ readonly posts: PostDefinition }>

/** What a write affects. */
export interface Affected {
  /** Rows that it changes or deletes. */
  readonly written?: readonly bigint[]
  /** The keys of rows that it creates or moves. */
  readonly entered?: readonly Address[]
  /** Whether it creates rows of unknown keys. */
  readonly isCreating?: boolean
}

/** A write, not fenced yet. */
export function beginWrite(
  pod: Pick<PostPod, 'writes'>,
  { written = [], entered = [], isCreating }: Affected,
) {
  const unit = pod.writes.begin()
  unit.markWritten(
    'Post',
    written.map((id) => ({ id })),
  )
  unit.markJoined('Post', entered)
  if (isCreating) unit.markCreated('Post', 'unknown')
  return unit
}

/** A whole write: fence, COMMIT, release. */
export async function write(
  pod: Pick<PostPod, 'writes'>,
  affected: Affected,
  commit: () => Promise<unknown>,
): Promise<void> {
  const unit = beginWrite(pod, affected)
  await unit.fence()
  await commit()
  await unit.end()
}

/** Reads the list of an author, and waits until all fills have ended. */
export async function listStored(pod: PostPod, authorId: number): Promise<Post[]> {
  const list = await pod.caches.posts.list('ofAuthor', authorId)
  await pod.caches.posts.drain()
  return list
}

export const idsOf = (posts: readonly Post[]): bigint[] => posts.map(({ id }) => id)

/** Delays what queries have found on its way from the database to the cache. */
export class HeldQueries {
  readonly #gates: (Gate | undefined)[] = []

  /** Holds the rows of the next query, or of a later one. */
  hold(queriesBefore = 0): Gate {
    const gate = newGate()
    this.#gates.push(...Array<undefined>(queriesBefore).fill(undefined), gate)
    return gate
  }

  readonly wrapSource = (source: Source<object, unknown>): Source<object, unknown> =>
    withMethods(source, {
      load: (ids, client) => this.#pass(source.load(ids, client)),
      find: (query, client) => this.#pass(source.find!(query, client)),
    })

  async #pass<Rows>(query: Promise<Rows>): Promise<Rows> {
    const gate = this.#gates.shift()
    const rows = await query
    await gate?.pass()
    return rows
  }
}

/** Holds the next read of rows from the store, after their entries have been read. */
export function holdRows(): { readonly gate: Gate; readonly wrap: (store: Store) => Store; arm(): void } {
  const gate = newGate()
  let isArmed = false
  const wrap = (store: Store): Store =>
    withMethods(store, {
      async getManyBytes(keys) {
        if (isArmed && !keys.some((key) => key.includes('='))) {
          isArmed = false
          await gate.pass()
        }
        return store.getManyBytes(keys)
      },
    })
  return { gate, wrap, arm: () => (isArmed = true) }
}
