import assert from 'node:assert/strict'
import type { ChainableCommander } from 'ioredis'
import type { Fill, GuardedKey } from 'model-cache/advanced'
import type { CostTask, MeasuredRows } from './measured-rows.ts'

/** Rows per script, as in the library. */
const ROWS = 64
const TIMES = 20
const LEASE_MS = 60_000
const TTL_MS = 3_600_000
const TOKEN = 'bench.0'

type Run = (batch: readonly Fill[]) => Promise<unknown>

/** Scripts for 64 rows at a time, beside single commands for the same rows. */
export function scriptTasks({ redis, store }: MeasuredRows, value: string): CostTask[] {
  const batches = Array.from({ length: TIMES }, (_, batch) =>
    Array.from({ length: ROWS }, (_, row): Fill => {
      const key = `mc:{bench:0}:${batch}-${row}:print`
      return { key, guard: `${key}:l`, token: TOKEN, value, ttlMs: TTL_MS }
    }),
  )
  const keys = batches.flat().flatMap(({ key, guard }) => [key, guard])
  const clear = async (): Promise<void> => void (await redis.del(keys))
  const request = { token: TOKEN, leaseMs: LEASE_MS, onlyAbsent: true, onlyUnmarked: false }
  const lease = (batch: readonly GuardedKey[]) => store.leaseMany(batch, request)
  const leased = async (): Promise<void> => {
    await clear()
    for (const [i, batch] of batches.entries()) {
      const answers = await lease(batch)
      batches[i] = batch.map((fill, n) => ({ ...fill, token: answers[n]!.token! }))
    }
  }
  const single =
    (send: (fill: Fill) => Promise<unknown>): Run =>
    (batch) =>
      Promise.all(batch.map(send))
  const pipelined =
    (add: (pipeline: ChainableCommander, fill: Fill) => unknown): Run =>
    (batch) => {
      const pipeline = redis.pipeline()
      for (const fill of batch) add(pipeline, fill)
      return pipeline.exec()
    }
  const lock = ({ guard }: Fill) => [guard, `L${TOKEN}`, 'PX', LEASE_MS, 'NX', 'GET'] as const
  const set = ({ key }: Fill) => [key, value, 'PX', TTL_MS] as const
  const ways: readonly (readonly ['leases' | 'fills', name: string, prepare: typeof clear, run: Run])[] = [
    ['leases', 'one script', clear, lease],
    ['leases', '64 × SET NX GET PX', clear, single((fill) => redis.set(...lock(fill)))],
    ['leases', '64 × SET NX GET PX, pipeline', clear, pipelined((pipe, fill) => pipe.set(...lock(fill)))],
    ['fills', 'one script', leased, (batch) => store.fillMany(batch)],
    ['fills', 'a script per row', leased, single((fill) => store.fillMany([fill]))],
    ['fills', '64 × SET PX', clear, single((fill) => redis.set(...set(fill)))],
    ['fills', '64 × SET PX, pipeline', clear, pipelined((pipe, fill) => pipe.set(...set(fill)))],
  ]
  return ways.map(([kind, name, prepare, run]) => {
    const group = `${kind} of 64 rows`
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
        const written = batches[0]!.map(({ key, guard }) => (kind === 'leases' ? guard : key))
        assert.equal(await redis.exists(written), ROWS, `${group}, ${name}: all are there`)
        await clear()
      },
    }
  })
}
