import { isOfMovingSlot } from './cluster-commands.js'
import { refusalOf } from './guards.js'
import { hashTagOf } from './shards.js'
import type { ChangedRegister, Fill, GuardedKey, LeaseRequest, Refusal, RegisterChange } from './store.js'
import type { ValkeyClient } from './valkey-client.js'
import { runScript, type Script } from './valkey-scripts.js'

/** Rows of one script: few enough for its command to be made in a fraction of a turn's budget, and to keep the server short. */
const rowsPerScript = 64

export async function leaseMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  { token, leaseMs, onlyAbsent, onlyUnsettled }: LeaseRequest,
): Promise<(Refusal | null)[]> {
  const args = [token, ms(leaseMs), onlyAbsent ? '1' : '0', onlyUnsettled ? '1' : '0']
  const held = (await eachScript(client, 'mcLease', keys, () => args, 'refuse')) as (string | null)[]
  return held.map((guard) => (guard === null ? null : refusalOf(guard)))
}

export async function fillMany(client: ValkeyClient, fills: readonly Fill[]): Promise<boolean[]> {
  const args = (part: readonly Fill[]): string[] =>
    part.flatMap(({ token, value, ttlMs }) => [token, value, ms(ttlMs)])
  return (await eachScript(client, 'mcFill', fills, args, 'refuse')).map((written) => written === 1)
}

export async function releaseMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  token: string,
): Promise<void> {
  await eachScript(client, 'mcRelease', keys, () => [token], 'refuse')
}

export async function fenceMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  token: string,
  fenceMs: number,
): Promise<void> {
  await eachScript(client, 'mcFence', keys, () => [token, ms(fenceMs)], 'divide')
}

export async function settleMany(
  client: ValkeyClient,
  keys: readonly GuardedKey[],
  token: string,
  holdMs: number,
  settledMs: number,
): Promise<void> {
  const args = [token, String(Math.round(holdMs)), ms(settledMs)]
  await eachScript(client, 'mcSettle', keys, () => args, 'divide')
}

export async function change(
  client: ValkeyClient,
  key: string,
  change: RegisterChange,
): Promise<ChangedRegister> {
  const [name, spanMs, scope] =
    change.kind === 'join'
      ? [change.fingerprint, change.lifeMs, '']
      : [change.token, change.kind === 'fence' ? change.fenceMs : change.holdMs, change.scope]
  const args = [change.kind, scope, change.word, name, String(Math.round(spanMs))]
  const [text, nowMs] = (await runScript(client, 'mcChange', [key], args)) as [string, string]
  return { text, nowMs: Number(nowMs) }
}

/**
 * Runs a script for rows of one hash tag at a time, 64 of them at most, all side by side.
 *
 * While a slot is moved key by key, a cluster refuses commands on several of its keys, however often they are tried. `'refuse'`
 * leaves such rows alone, as somebody else's. `'divide'` does for the guard and then for the value what the script does for both at
 * once: for fences that is as good, as no value is written without its guard.
 *
 * @returns the replies, one for each row, where the script gives a list
 */
async function eachScript<Key extends GuardedKey>(
  client: ValkeyClient,
  script: Script,
  rows: readonly Key[],
  argsOf: (rows: readonly Key[]) => string[],
  whileMoving: 'refuse' | 'divide',
): Promise<unknown[]> {
  const replies = Array<unknown>(rows.length).fill(null)
  const run = async (places: readonly number[]): Promise<void> => {
    const part = places.map((i) => rows[i]!)
    const args = argsOf(part)
    const keys = part.flatMap(({ key, guard }) => [guard, key])
    const reply = await runScript(client, script, keys, args).catch((error: unknown): unknown => {
      if (!isOfMovingSlot(error)) throw error
      return whileMoving === 'refuse' ? part.map(() => elsewhere) : divided(client, script, part, args)
    })
    if (Array.isArray(reply)) places.forEach((place, i) => (replies[place] = reply[i] as unknown))
  }
  const groups = client.isCluster
    ? [...Map.groupBy(rows.keys(), (i) => hashTagOf(rows[i]!.key)).values()]
    : [[...rows.keys()]]
  await Promise.all(groups.flatMap(chunked).map(run))
  return replies
}

/** Stands for the guard of a row whose slot is being moved. */
const elsewhere = 'F'

async function divided(
  client: ValkeyClient,
  script: Script,
  rows: readonly GuardedKey[],
  args: readonly string[],
): Promise<void> {
  await Promise.all(rows.map(({ guard }) => runScript(client, script, [guard], args)))
  await Promise.all(rows.map(({ key }) => client.unlink(key)))
}

function chunked<T>(items: readonly T[]): (readonly T[])[] {
  const count = Math.ceil(items.length / rowsPerScript)
  return Array.from({ length: count }, (_, i) => items.slice(i * rowsPerScript, (i + 1) * rowsPerScript))
}

const ms = (value: number): string => String(Math.max(1, Math.round(value)))
