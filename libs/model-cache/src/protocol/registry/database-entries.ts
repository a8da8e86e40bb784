import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { CatalogueEntry, Store } from '../backend/store.js'
import { entriesIn, hashAt } from '../backend/valkey/valkey-catalogue.js'
import type { ValkeyNodes } from '../backend/valkey/valkey-nodes.js'
import { type DatabaseIdentity, kindOf } from './database-identity.js'
import { fits, isText, jsonObjectIn } from '../format/json-object.js'
import { databasesKey } from '../format/key-space.js'
import { randomId } from '../format/token.js'

/** What a process says of itself and of its database in the store. */
export interface DatabaseEntry extends DatabaseIdentity {
  readonly host: string
  readonly pid: number
  /** Which processes have different numbers: containers of one host name may each have a process 1. Empty if that is unknown. */
  readonly pidNamespace?: string
  readonly state: ProcessState
}

/**
 * A process that is starting does not know the incarnation of its database yet. A refused one is listed so that others ask their databases
 * again: they may be the one that it reads by now.
 */
export type ProcessState = 'starting' | 'running' | 'refused' | 'ended'

/** An entry of another process, as the store has it. */
export interface ListedProcess {
  readonly entry: DatabaseEntry
  readonly listed: CatalogueEntry
  /** Whether it has said so of late and is not known to have ended since; also while it is starting. */
  readonly isRunning: boolean
  readonly wasRefused: boolean
  /** Whether it has found out in which incarnation its database is. */
  readonly isSettled: boolean
}

/** The processes of a namespace: running ones first, then those first that were heard of last. */
export interface ListedProcesses {
  readonly processes: readonly ListedProcess[]
  /** Until when processes were started that keep no other database out; 0 for none. */
  readonly handedOverMs: number
}

/** How often a process says that it is running. */
export const heartbeatMs = 30_000

/** After this time without a word a process counts as ended. */
const silenceMs = 2.5 * heartbeatMs

/** The entry that `npx model-cache hand-over` puts. */
const handOverField = 'handed-over'

/** The fields of this process: an application may have several roots. */
const own = new Set<string>()

/** The processes that read a database by way of the caches of one namespace, in one key of the store. */
export class DatabaseEntries {
  readonly #store: Store
  readonly #key: string
  readonly #field = randomId()

  constructor(store: Store, namespace: string) {
    this.#store = store
    this.#key = databasesKey(namespace)
  }

  /**
   * Puts or renews the entry of this process.
   *
   * @returns all others
   * @throws StoreError
   */
  async put(identity: DatabaseIdentity, state: ProcessState): Promise<ListedProcesses> {
    if (state === 'running' || state === 'starting') own.add(this.#field)
    else own.delete(this.#field)
    const { pid } = process
    const entry: DatabaseEntry = { ...identity, host: hostname(), pid, pidNamespace, state }
    const put = new Map([[this.#field, JSON.stringify(entry)]])
    // All of them, as the version of the list does not show that an entry has changed.
    const answer = await this.#store.askCatalogue(this.#key, { known: '', isWriter: true, put })
    return processesIn(answer, this.#field)
  }

  /** The entries of all other processes. @throws StoreError */
  async list(): Promise<ListedProcesses> {
    const answer = await this.#store.askCatalogue(this.#key, { known: '', isWriter: true })
    return processesIn(answer, this.#field)
  }

  /**
   * Returns the names of databases that running processes read, for a program that does not read rows itself: of other ones, and of this
   * one where they read from its primary. Leaves out those that cannot be compared.
   *
   * @throws StoreError
   */
  async readersBeside(id: string): Promise<{ others: readonly string[]; ofPrimary: readonly string[] }> {
    const { processes } = await this.list()
    // Processes that are starting may still be refused.
    const readers = processes.filter(
      ({ entry, isRunning, isSettled }) => isRunning && isSettled && kindOf(entry.id) === kindOf(id),
    )
    return {
      others: namesOf(readers.filter(({ entry }) => entry.id !== id)),
      // A standby does not say how far it has got.
      ofPrimary: namesOf(readers.filter(({ entry }) => entry.id === id && entry.position !== undefined)),
    }
  }

  /** Has processes that are running now keep no other database out. @throws StoreError */
  async handOver(): Promise<void> {
    const put = new Map([[handOverField, '{}']])
    await this.#store.askCatalogue(this.#key, { known: '', isWriter: true, put })
  }

  /** @throws StoreError */
  async remove(processes: readonly ListedProcess[]): Promise<void> {
    const remove = processes.map(({ listed }) => listed)
    if (remove.length > 0) await this.#store.askCatalogue(this.#key, { known: '', isWriter: true, remove })
  }
}

/** Reads the processes of a namespace without any effect. @throws StoreError */
export async function listProcesses(nodes: ValkeyNodes, namespace: string): Promise<ListedProcesses> {
  const key = databasesKey(namespace)
  const node = nodes.nodeOf(key)
  const [pairs, time] = await Promise.all([hashAt(node, key), node.call('TIME')])
  const [seconds] = time as readonly [seconds: string]
  return processesIn({ entries: entriesIn(pairs), nowMs: Number(seconds) * 1_000 })
}

function processesIn({ entries = [], nowMs }: Listed, except?: string): ListedProcesses {
  const processes: ListedProcess[] = []
  let handedOverMs = 0
  for (const listed of entries.toSorted((one, other) => other.putMs - one.putMs)) {
    if (listed.field === handOverField) handedOverMs = listed.putMs
    const entry = entryIn(listed)
    if (!entry || listed.field === except) continue
    const { state } = entry
    const isRecent = nowMs - listed.putMs < silenceMs
    const isRunning =
      isRecent && (state === 'running' || state === 'starting') && !hasEnded(entry, listed.field)
    const isSettled = state === 'running' || state === 'ended'
    processes.push({ entry, listed, isRunning, wasRefused: isRecent && state === 'refused', isSettled })
  }
  processes.sort((one, other) => Number(other.isRunning) - Number(one.isRunning))
  return { processes, handedOverMs }
}

export function namesOf(processes: readonly ListedProcess[]): readonly string[] {
  return [...new Set(processes.map(({ entry }) => entry.name))]
}

interface Listed {
  readonly entries?: readonly CatalogueEntry[] | undefined
  readonly nowMs: number
}

/** Returns the entry in a text; undefined for what another version of the library has put. */
function entryIn({ text }: CatalogueEntry): DatabaseEntry | undefined {
  const entry = jsonObjectIn(text)
  return fits(entry, entryShape) ? (entry as unknown as DatabaseEntry) : undefined
}

const entryShape = {
  id: isText,
  schema: isText,
  history: isText,
  incarnation: isText,
  name: isText,
  host: isText,
}

/** Whether a process is known to have ended without saying so, as if killed: then its successor need not wait. */
function hasEnded({ host, pid, ...entry }: DatabaseEntry, field: string): boolean {
  if (host !== hostname() || entry.pidNamespace !== pidNamespace) return false
  // The number of a process that has ended is free again.
  if (pid === process.pid) return !own.has(field)
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'ESRCH'
  }
}

const pidNamespace = pidNamespaceOfProcess()

/** Returns the namespace of process ids, of which only Linux has several. */
function pidNamespaceOfProcess(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
