import { randomBytes } from 'node:crypto'
import type { LeaseAnswer, Refusal, RegisterChange } from '../backend/store.js'

/**
 * A guard decides who may write a value. Its text:
 *
 * ```
 * <mark>;<lease>;<token>@<until> <token>@<until> …
 * ```
 *
 * The mark is the time until which a write is remembered, or 0. The lease is empty or `<token>@<until>`, in microseconds, so that
 * a request that runs twice gets different leases. Then come the fences. Times count from 1970 by the store's clock, in
 * milliseconds unless stated otherwise. lua/ does the same, atomically.
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
  const { fences, lastMark } = readFences(fenced, nowMs, markMs)
  return { mark: Math.max(Number(mark), lastMark), lease: untilOf(lease) > nowMs ? lease : '', fences }
}

export function guardText({ mark, lease, fences }: Guard): string {
  return `${mark};${lease};${textOf(fences)}`
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

/** Returns the text of a register after a change; see {@link Store.change}. */
export function changeRegister(held: string | undefined, change: RegisterChange, nowMs: number): string {
  const parts = /^([^;]+);([^;]+);(\d+);([^;]*);([^;]*);([^;]*)$/.exec(held ?? '') ?? []
  const newest = newEpoch()
  const [, oldEpoch = newest, oldExistence = newest, mark = '0', ofAll = '', ofExistence = '', printed = ''] =
    parts
  const all = readFences(ofAll, nowMs, change.markMs)
  const existence = readFences(ofExistence, nowMs, 0)
  let marked = Math.max(Number(mark), all.lastMark)
  const prints = new Map<string, number>()
  for (const entry of printed.split(' ')) {
    const [print = '', until = 0] = entry.split('@')
    if (Number(until) > nowMs) prints.set(print, Number(until))
  }
  if (change.kind === 'join') {
    prints.set(change.fingerprint, nowMs + change.lifeMs)
  } else {
    const { fences } = change.scope === 'all' ? all : existence
    if (change.kind === 'fence') fences.set(change.token, nowMs + change.fenceMs)
    else releaseFence(fences, change.token, change.holdMs, nowMs)
    if (change.kind === 'release' && change.scope === 'all') marked = Math.max(marked, nowMs + change.markMs)
  }
  const known = Array.from(prints, ([print, until]) => `${print}@${until}`)
  return [
    change.kind !== 'join' && change.scope === 'all' ? newest : oldEpoch,
    change.kind === 'join' ? oldExistence : newest,
    marked,
    textOf(all.fences),
    textOf(existence.fences),
    known.join(' '),
  ].join(';')
}

/** Returns 12 random letters and digits. */
export function newEpoch(): string {
  return randomBytes(9).toString('base64url')
}

/** Returns the seed of an epoch that a script generates, which adds the time. No other call returns or returned the same. */
export function epochSeed(): string {
  return `${processSeed}.${seeds++}`
}

const processSeed = newEpoch()
let seeds = 0

interface Fences {
  readonly fences: Map<string, number>
  /** Until when the write of an expired fence is remembered; 0 if there is none. */
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

/** The time at which a lease ends, in milliseconds. */
function untilOf(lease: string): number {
  return lease === '' ? 0 : Number(lease.slice(lease.lastIndexOf('@') + 1)) / 1_000
}

function lastOf(fences: ReadonlyMap<string, number>): number {
  return fences.size === 0 ? -Infinity : Math.max(...fences.values())
}

function textOf(fences: ReadonlyMap<string, number>): string {
  return Array.from(fences, ([token, until]) => `${token}@${until}`).join(' ')
}
