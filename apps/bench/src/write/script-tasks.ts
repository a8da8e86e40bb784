import assert from 'node:assert/strict'
import type { Fill, GuardedKey } from 'model-cache/advanced'
import type { CostTask } from './cost-task.ts'
import type { MeasuredRows } from './measured-rows.ts'

/** Rows of one script, as the library has it. */
const ROWS = 64
const TIMES = 20
const LEASE_MS = 60_000
const TTL_MS = 3_600_000
const TOKEN = 'bench.0'

/** What scripts do for 64 rows at a time, beside the same rows one by one. */
export function scriptTasks({ redis, store }: MeasuredRows, value: string): CostTask[] {
  const batches = Array.from({ length: TIMES }, (_, batch) =>
    Array.from({ length: ROWS }, (_, row): Fill => {
      const key = `mc:{bench:0}:${batch}-${row}:print`
      return { key, guard: `${key}:l`, token: TOKEN, value, ttlMs: TTL_MS }
    }),
  )
  const rows = batches.flat()
  const clear = async (): Promise<void> =>
    void (await redis.del(rows.flatMap(({ key, guard }) => [key, guard])))
  const request = { token: TOKEN, leaseMs: LEASE_MS, onlyAbsent: true, onlyUnmarked: false }
  const lease = async (batch: readonly GuardedKey[]): Promise<unknown> => store.leaseMany(batch, request)

  const task = (
    group: string,
    name: string,
    prepare: () => Promise<void>,
    run: (batch: readonly Fill[]) => Promise<unknown>,
    done: 'leases' | 'values',
  ): CostTask => {
    let next = 0
    return {
      group,
      name,
      times: TIMES,
      prepare: () => ((next = 0), prepare()),
      run: () => run(batches[next++]!),
      async verify() {
        await prepare()
        await run(batches[0]!)
        const of = batches[0]!.map(({ key, guard }) => (done === 'leases' ? guard : key))
        assert.equal(await redis.exists(of), ROWS, `${group}, ${name}: all ${done} are there`)
        await clear()
      },
    }
  }
  const leased = async (): Promise<void> => {
    await clear()
    for (const [i, batch] of batches.entries()) {
      const answers = await store.leaseMany(batch, request)
      batches[i] = batch.map((fill, n) => ({ ...fill, token: answers[n]!.token! }))
    }
  }
  return [
    task('leases of 64 rows', 'one script', clear, lease, 'leases'),
    task(
      'leases of 64 rows',
      '64 × SET NX GET PX',
      clear,
      (batch) =>
        Promise.all(batch.map(({ guard }) => redis.set(guard, `L${TOKEN}`, 'PX', LEASE_MS, 'NX', 'GET'))),
      'leases',
    ),
    task(
      'leases of 64 rows',
      '64 × SET NX GET PX, pipeline',
      clear,
      (batch) => {
        const pipeline = redis.pipeline()
        for (const { guard } of batch) pipeline.set(guard, `L${TOKEN}`, 'PX', LEASE_MS, 'NX', 'GET')
        return pipeline.exec()
      },
      'leases',
    ),
    task('fills of 64 rows', 'one script', leased, (batch) => store.fillMany(batch), 'values'),
    task(
      'fills of 64 rows',
      'a script per row',
      leased,
      (batch) => Promise.all(batch.map((fill) => store.fillMany([fill]))),
      'values',
    ),
    task(
      'fills of 64 rows',
      '64 × SET PX',
      clear,
      (batch) => Promise.all(batch.map(({ key }) => redis.set(key, value, 'PX', TTL_MS))),
      'values',
    ),
    task(
      'fills of 64 rows',
      '64 × SET PX, pipeline',
      clear,
      (batch) => {
        const pipeline = redis.pipeline()
        for (const { key } of batch) pipeline.set(key, value, 'PX', TTL_MS)
        return pipeline.exec()
      },
      'values',
    ),
  ]
}
