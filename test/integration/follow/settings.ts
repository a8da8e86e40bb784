import { defineWithLookups } from '../lookups/posts.js'
import type { FollowWorld } from './follow-worlds.js'

/** A cache of a table that no other one refers to. */
export async function openSettings(world: FollowWorld) {
  const { caches } = await world.openPod({ settings: defineWithLookups<never>('Setting', {}) })
  const settings = caches.settings as unknown as {
    get(id: number): Promise<{ readonly key: string } | null>
    drain(): Promise<void>
  }
  const key = async () => {
    const row = await settings.get(1)
    await settings.drain()
    return row?.key
  }
  await key()
  return { key }
}
