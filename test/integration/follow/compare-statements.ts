import { type Ids, openFollowedCaches } from './followed-caches.js'
import type { FollowWorld } from './follow-worlds.js'
import { groups } from './statements.js'

/** Runs each statement, and compares all caches with the database after it. */
export async function compareStatements(world: FollowWorld, ids: Ids): Promise<void> {
  const { dialect, sql } = world
  const { provider } = dialect.kind
  const caches = await openFollowedCaches(world, ids)
  try {
    for (const [name, statements] of Object.entries(groups)) {
      // Everything is deleted and inserted again, which is followed as well.
      await sql.query(await dialect.refill())
      await caches.check(name, false)
      for (const [title, ...runs] of statements) {
        const run = runs.length === 1 ? runs[0] : runs[provider === 'mysql' ? 1 : 0]
        if (!run) continue
        await (typeof run === 'string' ? sql.query(run) : run(world))
        await caches.check(title, false)
      }
      await caches.check(name)
    }
    expect(caches.warnings).toEqual([])
    // A cascade empties caches of MySQL.
    expect(caches.hitRatio()).toBeGreaterThan(provider === 'mysql' ? 0.3 : 0.5)
  } finally {
    await caches.close()
  }
}
