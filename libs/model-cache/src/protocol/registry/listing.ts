/**
 * How the register of a model lists the description of a cache: `<fingerprint>:<digest>`, what follows the name in its field of the
 * catalogue. A register that does not list a description any more says that nothing counts which was stored under it.
 */
export function listingOf(field: string): string {
  return field.slice(field.indexOf(':') + 1)
}

/** The fingerprint of the rows that are stored under a listing. */
export function fingerprintIn(listing: string): string {
  return listing.slice(0, listing.indexOf(':'))
}

/** The age at which a process extends its listings. */
export const extendAfterMs = 30_000

/** Listings outlive what is stored under them by this time, so that no writer misses the description of a running process. */
export const listingMarginMs = 3 * extendAfterMs
