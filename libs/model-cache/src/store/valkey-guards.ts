import { isOfMigratingSlot } from './cluster-commands.js'
import { newEpoch, refused } from './guards.js'
import { hashTagOf } from './shards.js'
import type {
  ChangedRegister,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Refusal,
  RegisterChange,
} from './store.js'
import type { ValkeyClient } from './valkey-client.js'
import { runScript, type Script } from './valkey-scripts.js'

/** Maximum rows per script: few enough to build the command in a fraction of a turn's time budget, and to block the server briefly. */
const rowsPerScript = 64

/** The client that runs scripts, and a listener for the number of keys they removed because these did not hold a string. */
export interface ScriptRunner {
  readonly client: ValkeyClient
  readonly onForeignKeys: (count: number) => void
}

export async function leaseMany(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  { token, leaseMs, onlyAbsent, onlyUnmarked }: LeaseRequest,
): Promise<LeaseAnswer[]> {
  const args = [token, ms(leaseMs), onlyAbsent ? '1' : '0', onlyUnmarked ? '1' : '0']
  const answers = (await eachScript(runner, 'mcLease', keys, () => args, 'refuse')) as string[]
  return answers.map(leaseAnswer)
}

export async function fillMany(runner: ScriptRunner, fills: readonly Fill[]): Promise<boolean[]> {
  const args = (part: readonly Fill[]): string[] =>
    part.flatMap(({ token, value, ttlMs }) => [token, value, ms(ttlMs)])
  return (await eachScript(runner, 'mcFill', fills, args, 'refuse')).map((written) => written === 1)
}

export async function releaseLeases(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  token: string,
): Promise<void> {
  await eachScript(runner, 'mcReleaseLeases', keys, () => [token], 'refuse')
}

export async function fenceMany(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  token: string,
  fenceMs: number,
  markMs: number,
): Promise<void> {
  await eachScript(runner, 'mcFence', keys, () => [token, ms(fenceMs), ms(markMs)], 'divide')
}

export async function releaseFences(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  token: string,
  holdMs: number,
  markMs: number,
): Promise<void> {
  const args = [token, String(Math.round(holdMs)), ms(markMs)]
  await eachScript(runner, 'mcReleaseFences', keys, () => args, 'divide')
}

export async function change(
  runner: ScriptRunner,
  key: string,
  change: RegisterChange,
): Promise<ChangedRegister> {
  const [name, spanMs, scope] =
    change.kind === 'join'
      ? [change.fingerprint, change.lifeMs, '']
      : [change.token, change.kind === 'fence' ? change.fenceMs : change.holdMs, change.scope]
  const args = [change.kind, scope, newEpoch(), ms(change.markMs), name, String(Math.round(spanMs))]
  const [text, nowMs] = (await run(runner, 'mcChange', [key], args)) as [string, string]
  return { text, nowMs: Number(nowMs) }
}

/** Runs a script and returns its reply. */
export async function run(
  { client, onForeignKeys }: ScriptRunner,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const [removed, reply] = await runScript(client, script, keys, args)
  if (removed > 0) onForeignKeys(removed)
  return reply
}

/**
 * Runs a script in parallel for the rows of each hash tag, at most 64 rows at a time.
 *
 * While a slot migrates key by key, a cluster refuses commands on several of its keys, however often they are retried. `'refuse'`
 * treats such rows as guarded by another process. `'divide'` runs the script for the guard and then removes the value: for fences
 * that is equivalent, because no value is written without its guard.
 *
 * @returns one reply per row, if the script returns a list
 */
async function eachScript<Key extends GuardedKey>(
  runner: ScriptRunner,
  script: Script,
  rows: readonly Key[],
  argsOf: (rows: readonly Key[]) => string[],
  whileMoving: 'refuse' | 'divide',
): Promise<unknown[]> {
  const replies = Array<unknown>(rows.length).fill(null)
  const runFor = async (places: readonly number[]): Promise<void> => {
    const part = places.map((i) => rows[i]!)
    const args = argsOf(part)
    const keys = part.flatMap(({ key, guard }) => [guard, key])
    const reply = await run(runner, script, keys, args).catch((error: unknown): unknown => {
      if (!isOfMigratingSlot(error)) throw error
      return whileMoving === 'refuse' ? part.map(() => elsewhere) : divided(runner, script, part, args)
    })
    if (Array.isArray(reply)) places.forEach((place, i) => (replies[place] = reply[i] as unknown))
  }
  const groups = runner.client.isCluster
    ? [...Map.groupBy(rows.keys(), (i) => hashTagOf(rows[i]!.key)).values()]
    : [[...rows.keys()]]
  await Promise.all(groups.flatMap(chunked).map(runFor))
  return replies
}

/** The answer for a row whose slot is migrating. */
const elsewhere: Refusal = 'fenced'

async function divided(
  runner: ScriptRunner,
  script: Script,
  rows: readonly GuardedKey[],
  args: readonly string[],
): Promise<void> {
  await Promise.all(rows.map(({ guard }) => run(runner, script, [guard], args)))
  await Promise.all(rows.map(({ key }) => runner.client.unlink(key)))
}

/** Every lease contains an `@`, so none equals a refusal. */
function leaseAnswer(answer: string): LeaseAnswer {
  return answer in refused ? refused[answer as Refusal] : { token: answer, refusal: null }
}

function chunked<T>(items: readonly T[]): (readonly T[])[] {
  const count = Math.ceil(items.length / rowsPerScript)
  return Array.from({ length: count }, (_, i) => items.slice(i * rowsPerScript, (i + 1) * rowsPerScript))
}

const ms = (value: number): string => String(Math.max(1, Math.round(value)))
