import { chunksOf } from '../chunks.js'
import { isOfMigratingSlot } from './cluster-commands.js'
import { refusals } from '../../format/guard.js'
import { epochSeed } from '../../format/token.js'
import type { PiggybackedRequests } from './piggybacked-requests.js'
import { hashTagOf, inGroups } from './shards.js'
import type {
  Announcement,
  ChangedRegister,
  Fence,
  FenceRelease,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Marker,
  Refusal,
  RegisterChange,
} from '../store.js'
import type { ValkeyClient } from './valkey-client.js'
import { runScript, type Script, type ScriptReply } from './valkey-scripts.js'

/** Maximum rows per script: few enough to build the command in a fraction of a turn's time budget, and to block the server briefly. */
const rowsPerScript = 64

/** The client that runs scripts, and a listener for the number of keys they removed because these did not hold a string. */
export interface ScriptRunner {
  readonly client: ValkeyClient
  readonly questions: PiggybackedRequests
  readonly onForeignKeys: (count: number) => void
  /** Runs a script instead, and waits until replicas have acknowledged it. */
  readonly acknowledge?: (
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
  ) => Promise<ScriptReply>
}

export async function leaseMany(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  { token, leaseMs, onlyAbsent, onlyUnmarked, untilMs }: LeaseRequest,
): Promise<LeaseAnswer[]> {
  const args = [token, ms(leaseMs), onlyAbsent ? '1' : '0', onlyUnmarked ? '1' : '0', untilOf(untilMs)]
  const answers = (await eachScript(runner, 'lease', keys, () => args, 'refuse')) as string[]
  // Keys of one script have one lease, and so nearly always one answer.
  let last: LeaseAnswer | undefined
  return answers.map((answer) => (last = last?.token === answer ? last : leaseAnswer(answer)))
}

export async function fillMany(runner: ScriptRunner, fills: readonly Fill[]): Promise<boolean[]> {
  const args = (part: readonly Fill[]): (string | Buffer)[] => {
    const all: (string | Buffer)[] = []
    for (const { token, value, ttlMs } of part) all.push(token, value, ms(ttlMs))
    return all
  }
  return (await eachScript(runner, 'fill', fills, args, 'refuse')).map((written) => written === 1)
}

export async function ensureMarkers(
  runner: ScriptRunner,
  markers: readonly Marker[],
  untilMs?: number,
): Promise<(string | null)[]> {
  const args = (part: readonly Marker[]): string[] => [
    untilOf(untilMs),
    epochSeed(),
    ...part.flatMap(({ start, ttlMs }) => [start, ms(ttlMs)]),
  ]
  const found = (await eachScript(runner, 'ensureMarkers', markers, args, 'refuse')) as string[]
  return found.map((value) => (refusalByName.has(value) ? null : value))
}

export function releaseLeases(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  token: string,
): Promise<unknown[]> {
  return eachScript(runner, 'releaseLeases', keys, () => [token], 'refuse')
}

/** Publishes an announcement where its script cannot do it. Resolves with false if it may not be published. */
type Publish = (announcement: Announcement) => Promise<boolean>

/**
 * Fences rows, and answers a writer's question of the same turn if one command can do both.
 *
 * @returns false if it may not be announced
 */
export function fenceMany(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  { token, fenceMs, markMs, announcement }: Fence,
  publish: Publish,
): Promise<boolean> {
  const args = [token, ms(fenceMs), ms(markMs)]
  const fence = (): Promise<boolean> =>
    eachFence(runner, keys, { script: 'fence', args: [...args, ''], announcement, publish })
  if (runner.acknowledge || !isOneScript(runner, keys)) return fence()
  return new Promise((resolve, reject) => {
    runner.questions.carry((question) => {
      if (!question) return resolve(fence())
      const allKeys = [...scriptKeys(keys), ...question.keys]
      run(runner, 'fence', allKeys, [...args, question.known, ...published(announcement)]).then(
        (reply) => {
          const [isAnnounced, nowMs] = reply as [number, string | null]
          question.answer(nowMs)
          resolve(isAnnounced === 1)
        },
        (error: unknown) => {
          question.answer(null)
          reject(error as Error)
        },
      )
    })
  })
}

/** @returns false if it may not be announced */
export function releaseFences(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  { token, holdMs, markMs, announcement }: FenceRelease,
  publish: Publish,
): Promise<boolean> {
  const args = [token, String(Math.round(holdMs)), ms(markMs)]
  return eachFence(runner, keys, { script: 'releaseFences', args, announcement, publish })
}

interface FenceScript {
  readonly script: Script
  readonly args: readonly string[]
  readonly announcement: Announcement | undefined
  readonly publish: Publish
}

/** A cluster may have the channel of an announcement, or the catalogue, on another node than the rows. No rows need no script. */
function isOneScript({ client }: ScriptRunner, keys: readonly GuardedKey[]): boolean {
  return keys.length > 0 && keys.length <= rowsPerScript && !client.isCluster
}

/** The last script announces the rows, where one can: over another connection, the announcement would come in another order. */
async function eachFence(
  runner: ScriptRunner,
  keys: readonly GuardedKey[],
  { script, args, announcement, publish }: FenceScript,
): Promise<boolean> {
  if (!announcement || keys.length === 0 || runner.client.isCluster) {
    await eachScript(runner, script, keys, () => args, 'divide')
    return announcement ? publish(announcement) : true
  }
  const others = keys.slice(0, -rowsPerScript)
  if (others.length > 0) await eachScript(runner, script, others, () => args, 'divide')
  const last = scriptKeys(keys.slice(-rowsPerScript))
  const reply = await run(runner, script, last, [...args, ...published(announcement)])
  return (reply as [number])[0] === 1
}

function published(announcement: Announcement | undefined): string[] {
  return announcement ? [announcement.channel, announcement.message] : []
}

export async function change(
  runner: ScriptRunner,
  key: string,
  change: RegisterChange,
  publish: Publish,
): Promise<ChangedRegister> {
  const [name, spanMs, scope] = partsOf(change)
  const announcement = 'announcement' in change ? change.announcement : undefined
  const ofScript = runner.client.isCluster ? undefined : announcement
  const args = [change.kind, scope, epochSeed(), ms(change.markMs), name, String(Math.round(spanMs))]
  const reply = await run(runner, 'change', [key], [...args, ...published(ofScript)])
  const [text, nowMs, announced] = reply as [string, string, number]
  const isAnnounced = announcement && !ofScript ? await publish(announcement) : announced === 1
  return { text, nowMs: Number(nowMs), isAnnounced }
}

/** The token or the listing, milliseconds, and the scope. */
function partsOf(change: RegisterChange): readonly [string, number, string] {
  switch (change.kind) {
    case 'expire':
      return ['', 0, '']
    case 'join':
    case 'extend':
      return [change.listing, change.lifeMs, '']
    case 'fence':
      return [change.token, change.fenceMs, change.scope]
    case 'release':
      return [change.token, change.holdMs, change.scope]
  }
}

/** Runs a script and returns its reply. */
export function run(
  { acknowledge, client, onForeignKeys }: ScriptRunner,
  script: Script,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<unknown> {
  const run = acknowledge?.(script, keys, args) ?? runScript(client, script, keys, args)
  return run.then(([removed, reply]) => {
    if (removed > 0) onForeignKeys(removed)
    return reply
  })
}

/**
 * Runs a script in parallel for the rows of each hash tag, at most 64 rows at a time.
 *
 * While a slot migrates key by key, a cluster refuses commands on several of its keys, however often they are retried. `'refuse'`
 * treats such rows as guarded by another process. `'divide'` runs the script for the guard and then removes the value: for fences
 * that is equivalent, because no value is written without its guard.
 *
 * @returns one reply per row: the script returns a list of them, or one that is that of all rows
 */
function eachScript<Key extends GuardedKey>(
  runner: ScriptRunner,
  script: Script,
  rows: readonly Key[],
  argsOf: (rows: readonly Key[]) => readonly (string | Buffer)[],
  whileMoving: 'refuse' | 'divide',
): Promise<unknown[]> {
  const runFor = (part: readonly Key[]): Promise<unknown[]> => {
    const args = argsOf(part)
    const ofEach = (reply: unknown): unknown[] =>
      Array.isArray(reply) ? (reply as unknown[]) : part.map(() => reply)
    return run(runner, script, scriptKeys(part), args).then(ofEach, async (error: unknown) => {
      if (!isOfMigratingSlot(error)) throw error
      return ofEach(whileMoving === 'refuse' ? elsewhere : await divided(runner, script, part, args))
    })
  }
  return runner.client.isCluster
    ? inGroups(
        rows,
        ({ key }) => hashTagOf(key),
        (part) => inScripts(part, runFor),
      )
    : inScripts(rows, runFor)
}

/** Runs a script for 64 rows at most, as many times as needed, in parallel. */
function inScripts<Key>(
  rows: readonly Key[],
  runFor: (part: readonly Key[]) => Promise<unknown[]>,
): Promise<unknown[]> {
  const parts = chunksOf(rows, rowsPerScript)
  if (parts.length === 1) return runFor(rows)
  return Promise.all(parts.map(runFor)).then((replies) => replies.flat())
}

/** The keys of rows, as the scripts take them. */
function scriptKeys(rows: readonly GuardedKey[]): string[] {
  const keys: string[] = []
  for (const { key, guard } of rows) keys.push(guard, key)
  return keys
}

/** The answer for a row whose slot is migrating. */
const elsewhere: Refusal = 'fenced'

async function divided(
  runner: ScriptRunner,
  script: Script,
  rows: readonly GuardedKey[],
  args: readonly (string | Buffer)[],
): Promise<void> {
  await Promise.all(rows.map(({ guard }) => run(runner, script, [guard], args)))
  const { acknowledge, client } = runner
  await Promise.all(rows.map(({ key }) => acknowledge?.('remove', [key], []) ?? client.unlink(key)))
}

/** Every lease contains an `@`, so none equals a refusal. */
function leaseAnswer(answer: string): LeaseAnswer {
  // Not a property of an object: V8 would keep the text of each lease as a name.
  return refusalByName.get(answer) ?? { token: answer, refusal: null }
}

const refusalByName = new Map<string, LeaseAnswer>(Object.entries(refusals))

const untilOf = (untilMs: number | undefined): string =>
  untilMs === undefined ? '' : String(Math.floor(untilMs))

const ms = (value: number): string => String(Math.max(1, Math.round(value)))
