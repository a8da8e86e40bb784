import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  connectNodes,
  type DescribedCache,
  type IdField,
  readCatalogue,
  rowKeyIn,
  textOfRowId,
  type ValkeyAddress,
  type ValkeyNode,
  type ValkeyNodes,
} from '../protocol/index.js'
import { modelOfRegister } from '../cache/results/register-name.js'
import { StoreError } from '../errors.js'
import type { Hint } from './hints.js'

export interface StoredHints {
  /** The hottest first. */
  readonly hints: readonly Hint[]
  /** Why only a part of the keys was looked through; undefined if nothing failed. */
  readonly problem: string | undefined
}

/** The place that hints come from: another Valkey, or another namespace. */
export interface HintSource {
  readonly address: ValkeyAddress
  readonly namespace: string
}

const answerMs = 5_000
/** Their answers arrive together, and take some milliseconds. */
const keysPerScan = 500
/** Keys that are asked about in one event-loop turn: a millisecond or two. */
const keysPerTurn = 100
/** Calls of SCAN for a few hints. */
const leastScans = 200
/** Keys that are looked through for each hint that is wanted, at most. */
const keysPerHint = 20

/** As {@link readStoredHints}, through connections of its own, which a signal closes. @throws StoreError, or the reason of the signal */
export async function hintsFrom(
  { address, namespace }: HintSource,
  rows: number,
  signal: AbortSignal,
  isWanted?: (cache: string) => boolean,
): Promise<StoredHints> {
  const nodes = await connectNodes(address, answerMs)
  signal.addEventListener('abort', () => nodes.close())
  try {
    signal.throwIfAborted()
    return await readStoredHints(nodes, namespace, rows, isWanted)
  } finally {
    nodes.close()
  }
}

/**
 * Finds the ids of the rows that are read most from the Valkey of another region or namespace, by what its server counts: how often a key
 * was read if its policy is LFU, otherwise how long ago. SCAN goes through the keys in the order of their hashes, so that a part of them is
 * a sample.
 *
 * @param rows how many hints are wanted
 * @param isWanted of which caches. @default of all
 * @throws StoreError if nothing can be read, or the namespace has no caches
 */
export async function readStoredHints(
  nodes: ValkeyNodes,
  namespace: string,
  rows: number,
  isWanted: (cache: string) => boolean = () => true,
): Promise<StoredHints> {
  const listed = await readCatalogue(nodes, namespace)
  // Registers of results have values as well, which are no rows.
  const caches = listed.caches.filter(({ name }) => modelOfRegister(name) === undefined)
  const idsOf = idFieldsByFingerprint(caches)
  if (idsOf.size === 0)
    throw new StoreError(
      'valkey',
      hashedCachesIn(caches) ??
        `the namespace "${namespace}" has no caches of this version of model-cache. Correct its name`,
    )
  const hottest = new Hottest(rows)
  const scans = Math.max(leastScans, Math.ceil((rows * keysPerHint) / keysPerScan))
  const scansOfNode = Math.ceil(scans / nodes.primaries.length)
  const problems: Error[] = []
  await Promise.all(
    nodes.primaries.map((node) =>
      scanNode(node, namespace, scansOfNode, (key, heat) => {
        const hint = hintIn(key, namespace, idsOf)
        if (hint && isWanted(hint.cache)) hottest.offer(hint, heat)
      }).catch((error: Error) => problems.push(error)),
    ),
  )
  const [problem] = problems
  if (problem && hottest.size === 0) throw problem
  const unread = hashedCachesIn(caches.filter(({ name }) => isWanted(name)))
  return { hints: hottest.take(), problem: problem?.message ?? unread }
}

/** Why nothing is found of some caches, in a sentence; undefined if their ids can be read. */
function hashedCachesIn(caches: readonly DescribedCache[]): string | undefined {
  const names = caches.flatMap(({ description, name }) =>
    description?.atRest?.hashedBy === undefined ? [] : [name],
  )
  if (names.length === 0) return undefined
  return `the ids of ${[...new Set(names)].join(', ')} are hashed in keys (atRest.hashKeys), so that nobody can read them back`
}

type IdFields = ReadonlyMap<string, readonly IdField[]>

/** The fields of ids by name and fingerprint, which tells the key of a row from that of an entry. */
function idFieldsByFingerprint(caches: readonly DescribedCache[]): IdFields {
  return new Map(
    caches.flatMap(({ description, fingerprint, name }) =>
      description && description.atRest?.hashedBy === undefined
        ? [[`${name}:${fingerprint}`, description.id] as const]
        : [],
    ),
  )
}

function hintIn(key: string, namespace: string, idsOf: IdFields): Hint | undefined {
  const found = rowKeyIn(namespace, key)
  const fields = found && idsOf.get(`${found.name}:${found.fingerprint}`)
  if (!fields) return undefined
  try {
    return { cache: found.name, id: textOfRowId(fields, found.rowId) }
  } catch {
    // Not a key of this library, whoever wrote it.
    return undefined
  }
}

/** Asks for the heat of the keys of one call of SCAN while the next one is on its way. */
async function scanNode(
  node: ValkeyNode,
  namespace: string,
  maxScans: number,
  offer: (key: string, heat: number) => void,
): Promise<void> {
  const scan = (cursor: string): Promise<[next: string, keys: string[]]> =>
    node.call('SCAN', cursor, 'MATCH', `${namespace}:{*`, 'COUNT', String(keysPerScan)) as never
  let heatOf: HeatOf | undefined
  let scanning = scan('0')
  for (let scans = 1; ; scans++) {
    const [cursor, keys] = await scanning
    const isLast = cursor === '0' || scans === maxScans
    if (!isLast) scanning = scan(cursor)
    // Awaited below, or the heat of these keys has failed before.
    scanning.catch(() => {})
    heatOf ??= await heatsOf(node, keys)
    const heats: Promise<number | undefined>[] = []
    for (const [i, key] of heatOf ? keys.entries() : []) {
      if (i % keysPerTurn === keysPerTurn - 1) await nextTurn()
      const heat = heatOf!(key)
      heat.catch(() => {})
      heats.push(heat)
    }
    for (const [i, heat] of (await Promise.all(heats)).entries())
      if (heat !== undefined) offer(keys[i]!, heat)
    if (isLast) return
  }
}

/** Returns how hot a key is; undefined for one that is gone. */
type HeatOf = (key: string) => Promise<number | undefined>

/**
 * How the server tells which keys are read most: neither command counts as a read. Undefined if all keys are gone, such as guards: of
 * these the server answers either command.
 */
async function heatsOf(node: ValkeyNode, keys: readonly string[]): Promise<HeatOf | undefined> {
  const numberOf = (reply: unknown): number | undefined => (reply === null ? undefined : Number(reply))
  const frequency: HeatOf = async (key) => numberOf(await node.call('OBJECT', 'FREQ', key))
  const recency: HeatOf = async (key) => {
    const idleSeconds = numberOf(await node.call('OBJECT', 'IDLETIME', key))
    return idleSeconds === undefined ? undefined : -idleSeconds
  }
  try {
    for (const key of keys) if ((await frequency(key)) !== undefined) return frequency
    return undefined
  } catch (error) {
    if (/LFU/.test(String(error))) return recency
    throw error
  }
}

/** The hottest of many hints, in bounded memory and without sorting them. */
export class Hottest {
  readonly #most: number
  readonly #byHeat = new Map<number, Hint[]>()
  #count = 0
  /** Enough hints are hotter than this. */
  #cold = -Infinity

  constructor(most: number) {
    this.#most = most
  }

  /** How many hints it holds: seldom more than three times as many as are wanted. */
  get size(): number {
    return this.#count
  }

  offer(hint: Hint, heat: number): void {
    if (heat <= this.#cold) return
    const alike = this.#byHeat.get(heat)
    if (alike) alike.push(hint)
    else this.#byHeat.set(heat, [hint])
    this.#count++
    if (this.#count % this.#most === 0) this.#forgetCold()
  }

  /** Each row once: it has a key for each schema version. */
  take(): Hint[] {
    const taken = new Map<string, Hint>()
    for (const heat of this.#heats())
      for (const hint of this.#byHeat.get(heat)!) {
        const text = `${hint.cache}\0${hint.id}`
        if (taken.size < this.#most && !taken.has(text)) taken.set(text, hint)
      }
    return [...taken.values()]
  }

  /** Keeps twice as many as are wanted, for rows with several keys. */
  #forgetCold(): void {
    let kept = 0
    for (const heat of this.#heats()) {
      if (kept >= 2 * this.#most) {
        this.#count -= this.#byHeat.get(heat)!.length
        this.#byHeat.delete(heat)
      } else {
        kept += this.#byHeat.get(heat)!.length
        if (kept >= 2 * this.#most) this.#cold = heat
      }
    }
  }

  /** The hottest first: a few hundred at most if the server counts reads, and seconds otherwise. */
  #heats(): number[] {
    return [...this.#byHeat.keys()].toSorted((one, other) => other - one)
  }
}
