import type { Store } from '../protocol/index.js'

let writes = 0

/** Writes a value like a cache does, with a lease. */
export async function writeValue(
  store: Store,
  key: string,
  value: string | Buffer,
  ttlMs: number,
): Promise<void> {
  const row = { key, guard: `${key}:l` }
  const token = `write-value.${process.pid}.${writes++}`
  const lease = { token, leaseMs: 60_000, onlyAbsent: false, onlyUnmarked: false }
  const [answer] = await store.leaseMany([row], lease)
  if (answer?.token == null) throw new Error(`could not be written: ${answer?.refusal}`)
  const [written] = await store.fillMany([{ ...row, token: answer.token, value, ttlMs }])
  if (!written) throw new Error('could not be written: the lease was lost')
}
