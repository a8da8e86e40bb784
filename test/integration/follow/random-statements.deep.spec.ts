import { Random } from '../differential/random.ts'
import { openFollowedCaches, setIdentity } from './followed-caches.js'
import { useFollowWorlds } from './follow-worlds.js'
import { randomTransaction } from './random-statements.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

/** To look for more than a test run has time for. */
const seed = Number(process.env.FOLLOW_SEED ?? 1)
const transactions = Number(process.env.FOLLOW_TRANSACTIONS ?? 100)

it.each([
  ['identity', 'keys'],
  ['identity', 'full'],
  ['others', 'default'],
  ['others', 'full'],
] as const)(
  'random SQL leaves no stale row or entry in any process: ids of %s, replica identity %s',
  async (ids, identity) => {
    const world = await openWorld()
    await setIdentity(world, identity)
    const caches = await openFollowedCaches(world, ids)
    const random = new Random(seed)
    const log: string[] = []
    let succeeded = 0
    try {
      for (let i = 0; i < transactions; i++) {
        // Later, many rows are gone.
        if (i % 10 === 9) await world.sql.query(await world.dialect.refill())
        const { end, statements } = randomTransaction(random)
        log.push('BEGIN')
        await world.sql.query('BEGIN')
        for (const { isRolledBack, sql } of statements) {
          await world.sql.query('SAVEPOINT s')
          const isDone = await world.sql.query(sql).then(
            () => !isRolledBack,
            (error: unknown) => {
              // Anything else is a mistake of the generator.
              if (!/constraint|a second time/.test(String(error))) throw new Error(sql, { cause: error })
              return false
            },
          )
          if (!isDone) await world.sql.query('ROLLBACK TO s')
          log.push(`${isDone ? '' : '-- rolled back: '}${sql}`)
          if (isDone) succeeded++
        }
        for (const sql of end) await world.sql.query(sql)
        log.push(...end)
        await caches.check(`seed ${seed}:\n${log.slice(-12).join(';\n')}`, i === transactions - 1)
      }
    } finally {
      await caches.close()
    }
    // What was compared: statements that were run, and entries that were stored.
    expect(succeeded).toBeGreaterThan(transactions)
    expect(caches.hitRatio()).toBeGreaterThan(0.3)
  },
)
