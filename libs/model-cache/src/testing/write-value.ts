import type { Store } from '../store/store.js'

let writes = 0

/** Writes a value as a cache does: under a lease. */
export async function writeValue(store: Store, key: string, value: string, ttlMs: number): Promise<void> {
  const row = { key, guard: `${key}:l` }
  const token = `write-value.${process.pid}.${writes++}`
  const lease = { token, leaseMs: 60_000, onlyAbsent: false, onlyUnsettled: false }
  const [refusal] = await store.leaseMany([row], lease)
  const [written] = await store.fillMany([{ ...row, token, value, ttlMs }])
  if (refusal || !written) throw new Error(`could not be written: ${refusal ?? 'the lease was lost'}`)
}
