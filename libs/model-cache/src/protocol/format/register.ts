import type { RegisterChange } from '../backend/store.js'
import { fencesIn, releaseFence, textOfFences } from './guard.js'
import { randomId } from './token.js'

/**
 * The register of a model: the epochs under which its values count, since when it exists, the fences of writers of unknown rows, and the
 * fingerprints whose rows may be stored. Its text:
 *
 * ```
 * <epoch>;<existence epoch>;<since>;<mark>;<fences>;<fences of the existence epoch>;<fingerprint>@<until> …
 * ```
 *
 * Marks, fences and times are as in a guard. lua/change.lua does the same, atomically.
 */
const form = /^([^;]+);([^;]+);(\d+);(\d+);([^;]*);([^;]*);([^;]*)$/

/** A parsed register. */
export interface RegisterView {
  readonly text: string
  readonly epoch: string
  /** Null while it is fenced. */
  readonly existence: string | null
  /** When it was created, by the store's clock: it lists what joined later. */
  readonly sinceMs: number
  /** Until when a write to the whole model is remembered, by the store's clock. */
  readonly markMs: number
  readonly isFenced: boolean
  readonly fingerprints: ReadonlySet<string>
}

/** Parses the value of a register; undefined if it is none. */
export function registerIn(text: string): RegisterView | undefined {
  const [, epoch, existence, since, mark, fences, existenceFences, printed] = form.exec(text) ?? []
  if (epoch === undefined) return undefined
  return {
    text,
    epoch,
    existence: existenceFences === '' ? existence! : null,
    sinceMs: Number(since),
    markMs: Number(mark),
    isFenced: fences !== '',
    fingerprints: new Set(fingerprintsOf(printed!).keys()),
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
export function changeRegister(held: string | undefined, change: RegisterChange, nowMs: number): string {
  const newest = randomId()
  const parts = form.exec(held ?? '') ?? []
  const [, epoch = newest, existence = newest, since = nowMs, mark = '0'] = parts
  const [ofAll = '', ofExistence = '', printed = ''] = parts.slice(5)
  const all = fencesIn(ofAll, nowMs, change.markMs)
  const existing = fencesIn(ofExistence, nowMs, 0)
  let marked = Math.max(Number(mark), all.lastMark)
  const fingerprints = [...fingerprintsOf(printed)].filter(([, untilMs]) => untilMs > nowMs)
  if (change.kind === 'join') {
    const others = fingerprints.filter(([fingerprint]) => fingerprint !== change.fingerprint)
    const joined = [...others, [change.fingerprint, nowMs + change.lifeMs] as const]
    return textOf([epoch, existence, since, marked], all.fences, existing.fences, joined)
  }
  const { fences } = change.scope === 'all' ? all : existing
  if (change.kind === 'fence') fences.set(change.token, nowMs + change.fenceMs)
  else releaseFence(fences, change.token, change.holdMs, nowMs)
  if (change.kind === 'release' && change.scope === 'all') marked = Math.max(marked, nowMs + change.markMs)
  const newEpochOfRows = change.scope === 'all' ? newest : epoch
  return textOf([newEpochOfRows, newest, since, marked], all.fences, existing.fences, fingerprints)
}

function textOf(
  head: readonly (string | number)[],
  all: ReadonlyMap<string, number>,
  existing: ReadonlyMap<string, number>,
  fingerprints: readonly (readonly [string, number])[],
): string {
  const printed = fingerprints.map(([fingerprint, untilMs]) => `${fingerprint}@${untilMs}`).join(' ')
  return [...head, textOfFences(all), textOfFences(existing), printed].join(';')
}

/** Until when rows of each fingerprint may be stored. */
function fingerprintsOf(printed: string): ReadonlyMap<string, number> {
  const entries = printed === '' ? [] : printed.split(' ')
  return new Map(
    entries.map((entry) => {
      const [fingerprint = '', untilMs = 0] = entry.split('@')
      return [fingerprint, Number(untilMs)]
    }),
  )
}
