import assert from 'node:assert/strict'
import { extendPrisma } from 'model-cache'
import type { CostTask } from './cost-task.ts'
import type { MeasuredRows } from './measured-rows.ts'

export const PLAIN = 'plain'
export const EXTENDED = 'extended'
export const manyGroup = (count: number): string =>
  `createMany of ${count.toLocaleString('en')} rows with ids`

/** Creations of many rows that a cache could hold, through a plain client and an extended one. */
export function manyTasks(
  { cache, prisma, writes }: MeasuredRows,
  openClient: () => MeasuredRows['prisma'],
  counts: readonly number[],
): CostTask[] {
  const clients = { [PLAIN]: openClient(), [EXTENDED]: extendPrisma(openClient(), writes) }
  const where = { id: { startsWith: 'many-' } }
  return counts.flatMap((count) => {
    const data = Array.from({ length: count }, (_, i) => ({ id: `many-${i}`, revision: 1, flags: {} }))
    return Object.entries(clients).map(([name, client]): CostTask => {
      const run = () => client.featureFlags.createMany({ data })
      const prepare = async (): Promise<void> => void (await prisma.featureFlags.deleteMany({ where }))
      return {
        group: manyGroup(count),
        name,
        times: 1,
        // Each takes Prisma seconds.
        ...(count > 10_000 && { rounds: 7 }),
        watchesTurns: true,
        prepare,
        run,
        async verify() {
          await prepare()
          const { id } = data.at(-1)!
          const isCreated = async (): Promise<boolean> => (await cache.get(id)) !== null
          assert.equal(await isCreated(), false)
          assert.deepEqual(await run(), { count })
          if (name === EXTENDED) assert.ok(await isCreated(), `${name}: a reader finds the last row`)
          await prepare()
          await cache.invalidate(id)
        },
      }
    })
  })
}
