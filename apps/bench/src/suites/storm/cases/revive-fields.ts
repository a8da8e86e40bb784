import { Decimal } from '../../../harness/fixtures/fixture.ts'
import { auctionItem } from '../../../harness/fixtures/models.ts'

const PLACES = Object.entries(auctionItem.places)

/**
 * Restores dates and decimals of a parsed lot in place: what one would write by hand for a cache that stores JSON, and
 * faster than a reviver, which JSON.parse calls for every key.
 */
export function reviveFields(lot: unknown): void {
  const fields = lot as Record<string, unknown>
  for (const [name, kind] of PLACES) {
    const text = fields[name]
    if (typeof text === 'string') fields[name] = kind === 'date' ? new Date(text) : new Decimal(text)
  }
}
