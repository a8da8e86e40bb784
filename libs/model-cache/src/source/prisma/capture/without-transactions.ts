import type { Adapter } from './adapter.js'

/** Whether an adapter runs each statement of a transaction by itself, at once, as those of Cloudflare D1 do. */
export function ignoresTransactions({ adapterName }: Adapter): boolean {
  return /\badapter-d1\b/.test(adapterName ?? '')
}

/** Whether an adapter has refused a transaction because it has none, as that of Neon over HTTP does. */
export function refusesTransactions(error: unknown): boolean {
  return error instanceof Error && /transactions are not supported/i.test(error.message)
}
