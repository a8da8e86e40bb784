import type { RegisterChange } from '../backend/store.js'
import { fencesIn, releaseFence, textOfFences } from './guard.js'
import { randomId } from './token.js'

/**
 * The register of a model: the epochs under which its values count, since when it exists, the fences of writers of unknown rows, and the
 * listings of descriptions under which values may be stored. Its text:
 *
 * ```
 * <epoch>;<existence epoch>;<since>;<mark>;<fences>;<fences of the existence epoch>;<fingerprint>:<digest>@<until> …
 * ```
 *
 * Marks, fences and times are as in a guard. lua/change.lua does the same, atomically.
 */
const form = /^([^;]+);([^;]+);(\d+);(\d+);([^;]*);([^;]*);([^;]*)$/

/** A parsed register. */
export interface RegisterView {
  readonly text: string
  readonly epoch: string
  /** The existence epoch; null while it is fenced. */
  readonly existence: string | null
  /** When it was created, by the store's clock: it lists what joined later. */
  readonly sinceMs: number
  /** Until when a write to the whole model is remembered, by the store's clock. */
  readonly markMs: number
  readonly isFenced: boolean
  /** The descriptions under which values may be stored, as `<fingerprint>:<digest>`, and until when, by the store's clock. */
  readonly listings: ReadonlyMap<string, number>
}

/** Parses the value of a register; undefined if it is none. */
export function registerIn(text: string): RegisterView | undefined {
  const [, epoch, existence, since, mark, fences, existenceFences, listed] = form.exec(text) ?? []
  if (epoch === undefined) return undefined
  return {
    text,
    epoch,
    existence: existenceFences === '' ? existence! : null,
    sinceMs: Number(since),
    markMs: Number(mark),
    isFenced: fences !== '',
    listings: listingsIn(listed!),
  }
}

/** The epochs that values carry: each is that of the model, that of the catalogue, and the mark of the database. */
export function epochsOf(
  { epoch, existence }: RegisterView,
  catalogueEpoch: string,
  mark: string,
): { readonly epoch: string; readonly existence: string | null } {
  return {
    epoch: `${epoch}.${catalogueEpoch}${mark}`,
    existence: existence && `${existence}.${catalogueEpoch}${mark}`,
  }
}

/** Returns the text of a register after a change; see {@link Store.change}. */
export function changeRegister(text: string | undefined, change: RegisterChange, nowMs: number): string {
  const newest = randomId()
  const parts = form.exec(text ?? '') ?? []
  const [, epoch = newest, existence = newest, since = nowMs, mark = '0'] = parts
  const [ofAll = '', ofExistence = '', listed = ''] = parts.slice(5)
  const all = fencesIn(ofAll, nowMs, change.markMs)
  const existing = fencesIn(ofExistence, nowMs, 0)
  let marked = Math.max(Number(mark), all.lastMark)
  const listings = new Map([...listingsIn(listed)].filter(([, untilMs]) => untilMs > nowMs))
  if ('listing' in change) list(listings, change, nowMs)
  if ('listing' in change || change.kind === 'expire')
    return textOf([epoch, existence, since, marked], all.fences, existing.fences, listings)
  const { fences } = change.scope === 'all' ? all : existing
  if (change.kind === 'fence') fences.set(change.token, nowMs + change.fenceMs)
  else releaseFence(fences, change.token, change.holdMs, nowMs)
  if (change.kind === 'release' && change.scope === 'all') marked = Math.max(marked, nowMs + change.markMs)
  const newEpochOfRows = change.scope === 'all' ? newest : epoch
  return textOf([newEpochOfRows, newest, since, marked], all.fences, existing.fences, listings)
}

function list(
  listings: Map<string, number>,
  { kind, lifeMs, listing }: Extract<RegisterChange, { readonly listing: string }>,
  nowMs: number,
): void {
  const heldMs = listings.get(listing)
  if (heldMs === undefined && kind === 'extend') return
  listings.delete(listing)
  listings.set(listing, Math.max(heldMs ?? 0, nowMs + lifeMs))
}

function textOf(
  head: readonly (string | number)[],
  all: ReadonlyMap<string, number>,
  existing: ReadonlyMap<string, number>,
  listings: ReadonlyMap<string, number>,
): string {
  return [...head, ...[all, existing, listings].map(textOfFences)].join(';')
}

function listingsIn(text: string): ReadonlyMap<string, number> {
  const parts = text === '' ? [] : text.split(' ')
  return new Map(
    parts.map((part) => {
      const [listing = '', untilMs = 0] = part.split('@')
      return [listing, Number(untilMs)]
    }),
  )
}

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
