import { definePosts, defineWithLookups } from '../lookups/posts.js'
import type { FollowOptions, FollowWorld } from './follow-worlds.js'

/**
 * A process with a cache of the posts: how it reads the first of them, and how others write it.
 *
 * @param url of a Valkey. @default that of the world
 */
export async function openPosts({ dialect, openPod, sql }: FollowWorld, url?: string) {
  // Texts are no keys of lookups there.
  const isMysql = dialect.kind.provider === 'mysql'
  const posts = isMysql ? defineWithLookups<ReturnType<typeof definePosts>>('Post', {}) : definePosts()
  const { caches } = await openPod({ posts }, url === undefined ? {} : { url })
  const title = async () => (await caches.posts.get(1n))?.title
  const rename = (to: string) => sql.query(`UPDATE "Post" SET title = '${to}' WHERE id = 1`)
  const epoch = async () => (await caches.posts.explain(1n)).epoch
  // The cache describes itself when it is read first.
  await title()
  return { caches, epoch, rename, title }
}

/** A follower that follows the posts, the first of which is stored. */
export async function followPosts(world: FollowWorld, options: FollowOptions = {}) {
  const posts = await openPosts(world)
  const following = await world.follow({ caches: 1, ...options })
  await posts.title()
  return { ...posts, ...following }
}
