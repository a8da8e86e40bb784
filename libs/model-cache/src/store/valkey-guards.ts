import { setTimeout as delay } from 'node:timers/promises'
import { isOfMovingSlot } from './cluster-commands.js'
import { refusalOf } from './guards.js'
import { hashTagOf } from './shards.js'
import type { ChangedRegister, Fill, GuardedKey, LeaseRequest, Refusal, RegisterChange } from './store.js'
import type { ValkeyClient } from './valkey-client.js'
import { runScript, type Script } from './valkey-scripts.js'

/** Rows of one script: few enough for its command to be made in a fraction of a turn's budget, and to keep the server short. */
const rowsPerScript = 64

/** How often a script is tried whose slot is being moved, and what waits in between, at first. */
const tries = 4
const firstWaitMs = 5

export async function leaseMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  { token, leaseMs, onlyAbsent, onlyUnsettled }: LeaseRequest,
): Promise<(Refusal | null)[]> {
  const args = [token, ms(leaseMs), onlyAbsent ? '1' : '0', onlyUnsettled ? '1' : '0']
  const held = (await eachScript(client, 'mcLease', keys, () => args)) as (string | null)[]
  return held.map((guard) => (guard === null ? null : refusalOf(guard)))
}

export async function fillMany(client: ValkeyClient, fills: readonly Fill[]): Promise<boolean[]> {
  const args = (part: readonly Fill[]): string[] =>
    part.flatMap(({ token, value, ttlMs }) => [token, value, ms(ttlMs)])
  return (await eachScript(client, 'mcFill', fills, args)).map((written) => written === 1)
}

export async function releaseMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  token: string,
): Promise<void> {
  await eachScript(client, 'mcRelease', keys, () => [token])
}

export async function fenceMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  token: string,
  fenceMs: number,
): Promise<void> {
  await eachScript(client, 'mcFence', keys, () => [token, ms(fenceMs)])
}

export async function settleMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  token: string,
  holdMs: number,
  settledMs: number,
): Promise<void> {
  await eachScript(client, 'mcSettle', keys, () => [token, String(Math.round(holdMs)), ms(settledMs)])
}

export async function change(
  client: ValkeyClient,
  key: string,
  change: RegisterChange,
): Promise<ChangedRegister> {
  const [name, spanMs] =
    change.kind === 'join'
      ? [change.fingerprint, change.lifeMs]
      : [change.token, change.kind === 'fence' ? change.fenceMs : change.holdMs]
  const args = [change.kind, change.epoch, name, String(Math.round(spanMs))]
  const [text, nowMs] = (await runScript(client, 'mcChange', [key], args)) as [string, string]
  return { text, nowMs: Number(nowMs) }
}

/**
 * Runs a script for rows of one hash tag at a time, 64 of them at most, all side by side.
 *
 * @returns the replies, one for each row, where the script gives a list
 */
async function eachScript<Key extends GuardedKey>(
  client: ValkeyClient,
  script: Script,
  rows: readonly Key[],
  argsOf: (rows: readonly Key[]) => string[],
): Promise<unknown[]> {
  const replies = Array<unknown>(rows.length).fill(null)
  const run = async (places: readonly number[]): Promise<void> => {
    const part = places.map((i) => rows[i]!)
    const keys = part.flatMap(({ key, guard }) => [guard, key])
    const reply = await retryWhileMoving(() => runScript(client, script, keys, argsOf(part)))
    if (Array.isArray(reply)) places.forEach((place, i) => (replies[place] = reply[i] as unknown))
  }
  const groups = client.isCluster
    ? [...Map.groupBy(rows.keys(), (i) => hashTagOf(rows[i]!.key)).values()]
    : [[...rows.keys()]]
  await Promise.all(groups.flatMap(chunked).map(run))
  return replies
}

/** While a slot is moved key by key, a guard may be here and its value there; soon both are. */
async function retryWhileMoving<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === tries || !isOfMovingSlot(error)) throw error
      await delay(firstWaitMs * 2 ** attempt)
    }
  }
}

function chunked<T>(items: readonly T[]): (readonly T[])[] {
  const count = Math.ceil(items.length / rowsPerScript)
  return Array.from({ length: count }, (_, i) => items.slice(i * rowsPerScript, (i + 1) * rowsPerScript))
}

const ms = (value: number): string => String(Math.max(1, Math.round(value)))
