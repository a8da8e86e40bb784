import type { StoredValue } from 'model-cache/internal'
import type { StoredReport } from './row-report.js'

/** What is to be said of a stored value without showing it. */
export function storedReportOf(stored: StoredValue<unknown>): StoredReport {
  if (!stored.isHit) return stored
  const { createdMs, expiresMs, length } = stored
  return {
    isHit: true,
    storedAt: new Date(createdMs).toISOString(),
    expiresAt: new Date(expiresMs).toISOString(),
    bytes: length,
  }
}
