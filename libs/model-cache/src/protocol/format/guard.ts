import type { LeaseAnswer, Refusal } from '../backend/store.js'

/**
 * A guard decides who may write a value. Its text:
 *
 * ```
 * <mark>;<lease>;<token>@<until> <token>@<until> …
 * ```
 *
 * The mark is the time until which a write is remembered, or 0. The lease is empty or `<token>@<until>`, in microseconds, so that
 * a request that runs twice gets different leases. Then come the fences. Times count from 1970 by the store's clock, in
 * milliseconds unless stated otherwise, and the mark is a time to come.
 *
 * ```
 * 0;;AbCd.4f@1764000010000          fenced by a write; the key expires `markMs` after the last fence
 * 0;AbCd.4g@1764000005000000;       leased
 * 1764000005000;;                   released a moment ago
 * ```
 *
 * In Valkey, lua/parts/library.lua reads and writes this text, atomically. The functions here serve the store in memory, and `explain`.
 */
export interface Guard {
  mark: number
  lease: string
  readonly fences: Map<string, number>
}

/** The answers to refused lease requests. */
export const refusals = {
  fenced: { token: null, refusal: 'fenced' },
  leased: { token: null, refusal: 'leased' },
  filled: { token: null, refusal: 'filled' },
  late: { token: null, refusal: 'late' },
} as const satisfies Record<Refusal, LeaseAnswer>

/** The token of the one fence that holds rows after their writes, with the latest of their deadlines. */
const heldToken = 'held'

/**
 * Parses a guard and drops its expired parts. Any other text counts as no guard.
 *
 * @param markMs how long the write of an expired fence is remembered
 */
export function readGuard(text: string | undefined, nowMs: number, markMs: number): Guard {
  if (text === undefined) return { mark: 0, lease: '', fences: new Map() }
  const [, mark = '0', lease = '', fenced = ''] = /^(\d+);([^;]*);([^;]*)$/.exec(text) ?? []
  const { fences, lastMark } = fencesIn(fenced, nowMs, markMs)
  return { mark: Math.max(Number(mark), lastMark), lease: untilOf(lease) > nowMs ? lease : '', fences }
}

export function guardText({ mark, lease, fences }: Guard): string {
  return `${mark};${lease};${textOfFences(fences)}`
}

/** The time at which all parts of a guard have expired. */
export function endOf({ mark, lease, fences }: Guard, markMs: number): number {
  return Math.max(mark, Math.ceil(untilOf(lease)), lastOf(fences) + markMs)
}

/** A lease with a token, taken now; no other lease has the same text. */
export function newLease(token: string, leaseMs: number, nowMicroseconds: number): string {
  return `${token}@${nowMicroseconds + leaseMs * 1_000}`
}

/** Removes the fence of a token, which may be `''` for none, and adds one that holds its rows for `holdMs`. */
export function releaseFence(
  fences: Map<string, number>,
  token: string,
  holdMs: number,
  nowMs: number,
): void {
  fences.delete(token)
  if (holdMs > 0) fences.set(heldToken, Math.max(fences.get(heldToken) ?? 0, nowMs + holdMs))
}

/** Parsed fences. */
export interface Fences {
  readonly fences: Map<string, number>
  /** Until when the write of an expired fence is remembered; 0 if there is none. */
  readonly lastMark: number
}

/**
 * Parses fences, `<token>@<until> …`, and drops those that have expired.
 *
 * @param markMs how long the write of an expired fence is remembered
 */
export function fencesIn(text: string, nowMs: number, markMs: number): Fences {
  const fences = new Map<string, number>()
  let lastMark = 0
  for (const entry of text === '' ? [] : text.split(' ')) {
    const [token = '', until = 0] = entry.split('@')
    if (Number(until) > nowMs) fences.set(token, Number(until))
    else lastMark = Math.max(lastMark, Number(until) + markMs)
  }
  return { fences, lastMark }
}

/** The time at which a lease ends, in milliseconds. */
function untilOf(lease: string): number {
  return lease === '' ? 0 : Number(lease.slice(lease.lastIndexOf('@') + 1)) / 1_000
}

function lastOf(fences: ReadonlyMap<string, number>): number {
  return fences.size === 0 ? -Infinity : Math.max(...fences.values())
}

/** Returns the text of fences. */
export function textOfFences(fences: ReadonlyMap<string, number>): string {
  return Array.from(fences, ([token, until]) => `${token}@${until}`).join(' ')
}
