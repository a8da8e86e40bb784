import type { RegisterChange, Refusal } from './store.js'

/**
 * What a guard holds: `L<token>` of a lease, `F<token>@<until> …` of fences, or `S` for a while after a write. Times are
 * milliseconds since 1970. valkey-scripts.ts says the same in Lua, where it has to be one step.
 */

/** What stands in a guard for a while after a write. */
export const settledGuard = 'S'

export function leaseGuard(token: string): string {
  return `L${token}`
}

/** Why a lease is not given where the guard holds this. */
export function refusalOf(guard: string): Refusal {
  return guard.startsWith('L') ? 'leased' : guard === filledGuard ? 'filled' : 'fenced'
}

/** Stands in replies, never in a guard. */
export const filledGuard = 'V'

/** Fences of a token each, until a time. */
type Fences = ReadonlyMap<string, number>

/** Those of a guard that are not over. */
export function fencesOf(guard: string | undefined, nowMs: number): Map<string, number> {
  return guard?.startsWith('F') ? fencesIn(guard.slice(1), nowMs) : new Map()
}

export function fenceGuard(fences: Fences): string {
  return `F${textOf(fences)}`
}

export function lastOf(fences: Fences): number {
  return Math.max(...fences.values())
}

/** The text of a register after a change; see {@link Store.change}. */
export function changeRegister(held: string | undefined, change: RegisterChange, nowMs: number): string {
  const [, epoch = change.word, membership = change.word, ofAll = '', ofMembership = '', printed = ''] =
    /^([^;]+);([^;]+);([^;]*);([^;]*);([^;]*)$/.exec(held ?? '') ?? []
  const fences = { all: fencesIn(ofAll, nowMs), membership: fencesIn(ofMembership, nowMs) }
  const prints = new Map<string, readonly [joined: number, until: number]>()
  for (const entry of printed.split(' ')) {
    const [print = '', joined = 0, until = 0] = entry.split('@')
    if (Number(until) > nowMs) prints.set(print, [Number(joined), Number(until)])
  }
  if (change.kind === 'join') {
    const { fingerprint, lifeMs } = change
    const joined = prints.get(fingerprint)?.[0] ?? (prints.size === 0 ? 0 : nowMs)
    prints.set(fingerprint, [joined, nowMs + lifeMs])
  } else {
    const forMs = change.kind === 'fence' ? change.fenceMs : change.holdMs
    setFence(fences[change.scope], change.token, forMs, nowMs)
  }
  const words = [
    change.kind !== 'join' && change.scope === 'all' ? change.word : epoch,
    change.kind === 'join' ? membership : change.word,
  ]
  const known = Array.from(prints, ([print, [joined, until]]) => `${print}@${joined}@${until}`)
  return [...words, textOf(fences.all), textOf(fences.membership), known.join(' ')].join(';')
}

/** Lets the fence of a token, which may be `''` for none, stand for so long; not at all for 0. */
export function setFence(fences: Map<string, number>, token: string, forMs: number, nowMs: number): void {
  if (forMs > 0) fences.set(token || 'held', nowMs + forMs)
  else fences.delete(token)
}

function fencesIn(text: string, nowMs: number): Map<string, number> {
  const entries = text.split(' ').map((entry) => entry.split('@'))
  return new Map(
    entries.flatMap(([token = '', until]) => (Number(until) > nowMs ? [[token, Number(until)]] : [])),
  )
}

function textOf(fences: Fences): string {
  return Array.from(fences, ([token, until]) => `${token}@${until}`).join(' ')
}
