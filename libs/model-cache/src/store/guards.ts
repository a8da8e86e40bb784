import { randomBytes } from 'node:crypto'
import type { LeaseAnswer, Refusal, RegisterChange } from './store.js'

/**
 * Who may write a value, as text:
 *
 * ```
 * <mark>;<lease>;<token>@<until> <token>@<until> …
 * ```
 *
 * The mark is the time until which a write is remembered, or 0. The lease is `<token>@<until>` with microseconds, which makes the leases
 * of one request that runs twice differ, or empty. Then come the fences. Times count from 1970 by the store's clock, in
 * milliseconds unless said otherwise. valkey-scripts.ts does the same in Lua, where it has to be one step.
 */
export interface Guard {
  mark: number
  lease: string
  readonly fences: Map<string, number>
}

/** The answers to requests for a lease that is not given. */
export const refused = {
  fenced: { token: null, refusal: 'fenced' },
  leased: { token: null, refusal: 'leased' },
  filled: { token: null, refusal: 'filled' },
} as const satisfies Record<Refusal, LeaseAnswer>

/** Holds a scope after writes, whoever they were: one fence with the last of their deadlines. */
const heldToken = 'held'

/**
 * Reads a guard, without what has expired. A text that is no guard counts as none.
 *
 * @param markMs how long the write of a fence that expired is remembered
 */
export function readGuard(text: string | undefined, nowMs: number, markMs: number): Guard {
  if (text === undefined) return { mark: 0, lease: '', fences: new Map() }
  const [, mark = '0', lease = '', fenced = ''] = /^(\d+);([^;]*);([^;]*)$/.exec(text) ?? []
  const { fences, lastMark } = readFences(fenced, nowMs, markMs)
  return { mark: Math.max(Number(mark), lastMark), lease: untilOf(lease) > nowMs ? lease : '', fences }
}

export function guardText({ mark, lease, fences }: Guard): string {
  return `${mark};${lease};${textOf(fences)}`
}

/** When nothing of a guard counts any more. */
export function endOf({ mark, lease, fences }: Guard, markMs: number): number {
  return Math.max(mark, Math.ceil(untilOf(lease)), lastOf(fences) + markMs)
}

/** A lease of a token, taken now; no other has the same text. */
export function newLease(token: string, leaseMs: number, nowMicroseconds: number): string {
  return `${token}@${nowMicroseconds + leaseMs * 1_000}`
}

/** Removes the fence of a token, which may be `''` for none, and holds what it fenced for so long all the same. */
export function releaseFence(
  fences: Map<string, number>,
  token: string,
  holdMs: number,
  nowMs: number,
): void {
  fences.delete(token)
  if (holdMs > 0) fences.set(heldToken, Math.max(fences.get(heldToken) ?? 0, nowMs + holdMs))
}

/** The text of a register after a change; see {@link Store.change}. */
export function changeRegister(held: string | undefined, change: RegisterChange, nowMs: number): string {
  const parts = /^([^;]+);([^;]+);(\d+);([^;]*);([^;]*);([^;]*)$/.exec(held ?? '') ?? []
  const word = newWord()
  const [, oldEpoch = word, oldMembership = word, mark = '0', ofAll = '', ofMembership = '', printed = ''] =
    parts
  const all = readFences(ofAll, nowMs, change.markMs)
  const membership = readFences(ofMembership, nowMs, 0)
  let marked = Math.max(Number(mark), all.lastMark)
  const prints = new Map<string, number>()
  for (const entry of printed.split(' ')) {
    const [print = '', until = 0] = entry.split('@')
    if (Number(until) > nowMs) prints.set(print, Number(until))
  }
  if (change.kind === 'join') {
    prints.set(change.fingerprint, nowMs + change.lifeMs)
  } else {
    const { fences } = change.scope === 'all' ? all : membership
    if (change.kind === 'fence') fences.set(change.token, nowMs + change.fenceMs)
    else releaseFence(fences, change.token, change.holdMs, nowMs)
    if (change.kind === 'release' && change.scope === 'all') marked = Math.max(marked, nowMs + change.markMs)
  }
  const known = Array.from(prints, ([print, until]) => `${print}@${until}`)
  return [
    change.kind !== 'join' && change.scope === 'all' ? word : oldEpoch,
    change.kind === 'join' ? oldMembership : word,
    marked,
    textOf(all.fences),
    textOf(membership.fences),
    known.join(' '),
  ].join(';')
}

/** 12 letters and digits that have not been drawn before. */
export function newWord(): string {
  return randomBytes(9).toString('base64url')
}

interface Fences {
  readonly fences: Map<string, number>
  /** Until when a write is remembered whose fence has expired; 0 where there is none. */
  readonly lastMark: number
}

function readFences(text: string, nowMs: number, markMs: number): Fences {
  const fences = new Map<string, number>()
  let lastMark = 0
  for (const entry of text === '' ? [] : text.split(' ')) {
    const [token = '', until = 0] = entry.split('@')
    if (Number(until) > nowMs) fences.set(token, Number(until))
    else lastMark = Math.max(lastMark, Number(until) + markMs)
  }
  return { fences, lastMark }
}

/** When a lease ends, in milliseconds. */
function untilOf(lease: string): number {
  return lease === '' ? 0 : Number(lease.slice(lease.lastIndexOf('@') + 1)) / 1_000
}

function lastOf(fences: ReadonlyMap<string, number>): number {
  return fences.size === 0 ? -Infinity : Math.max(...fences.values())
}

function textOf(fences: ReadonlyMap<string, number>): string {
  return Array.from(fences, ([token, until]) => `${token}@${until}`).join(' ')
}
