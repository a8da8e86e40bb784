import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'
import { type Process, sum } from '../bench/harness.ts'
import type { WorkReport } from '../history/history.ts'
import type { OpenedWires } from '../servers/access.ts'
import { start } from '../process.ts'
import { FaultyWire } from '../servers/faulty-wire.ts'
import type { ChaosDatabase } from './databases/chaos-database.ts'
import type { Serving } from './pod/serve-pod.ts'
import type { PodSettings } from './pod/settings.ts'
import type { Death } from './pod/writer.ts'
import type { Rotation } from './rotation.ts'
import { cachesOf, type PodKind } from './rows.ts'

/** One process of the application, seen from outside. */
export interface Pod {
  readonly process: Process<Serving>
  /** To each server of Valkey, and to the database if that is a server. */
  readonly wires: { readonly valkey: readonly FaultyWire[]; readonly database: readonly FaultyWire[] }
  readonly kind: PodKind
  hasEnded: boolean
}

export interface FleetOptions {
  readonly settings: Omit<PodSettings, 'valkey' | 'database' | 'caches' | 'seed' | 'atRest'>
  readonly database: ChaosDatabase
  /** Opens the wires of one pod to Valkey. */
  readonly openWires: () => Promise<OpenedWires>
  readonly random: Random
  /** Undefined if pods store in clear text. */
  readonly rotation: Rotation | undefined
  /** Receives the reports of each pod, by its number. */
  readonly onWork: (pod: number, report: WorkReport) => void
}

/** Deadline for a pod to reach the point of its death: without a fence there is none after it. */
const KILL_MS = 3_000
/** Deadline for a pod to end, after the store has taken all its invalidations. */
const LEAVE_MS = 180_000

const commandsRepeatedBy = ({ wires }: Pod): number => sum(wires.valkey.map(({ repeated }) => repeated))

/** The pods of an application, each behind its own wires. Killed pods are replaced. */
export class Fleet {
  readonly #parts: FleetOptions
  #pods: readonly Pod[] = []
  /** Pods under a fault. */
  readonly #busy = new Set<Pod>()
  #repeatedBefore = 0
  /** By number. */
  readonly #kinds: PodKind[] = []

  constructor(parts: FleetOptions) {
    this.#parts = parts
  }

  get pods(): readonly Pod[] {
    return this.#pods
  }

  /** Commands that wires delivered twice. */
  get repeated(): number {
    return this.#repeatedBefore + sum(this.#pods.map(commandsRepeatedBy))
  }

  kindOf(pod: number): PodKind {
    return this.#kinds[pod]!
  }

  async start(kind: PodKind): Promise<Pod> {
    const { database, settings, openWires, onWork, rotation } = this.#parts
    const { wires: valkey, access } = await openWires()
    const url = database.poolerUrl ?? database.url
    const through = database.hasWires ? await FaultyWire.to(url) : undefined
    const number = this.#kinds.push(kind) - 1
    const atRest = rotation?.keysOf(kind)
    const own: PodSettings = {
      ...settings,
      ...(atRest && { atRest }),
      valkey: access,
      database: { ...database.access, directUrl: database.url, url: through?.url ?? url },
      caches: cachesOf[kind],
      seed: `chaos pod ${number}`,
    }
    const process = await start<Serving>(join(import.meta.dirname, 'pod'), 'serve-pod.ts', own, {
      flags: [],
      detached: true,
      onEvent: (report: WorkReport) => onWork(number, report),
    })
    const wires = { valkey, database: through ? [through.wire] : [] }
    const pod: Pod = { process, wires, kind, hasEnded: false }
    void process.exited.then(() => {
      pod.hasEnded = true
      return Promise.all([...valkey, ...wires.database].map((one) => one.close()))
    })
    this.#pods = [...this.#pods, pod]
    return pod
  }

  /** Has a pod read and write at random. */
  work({ process }: Pod): void {
    // It may be killed meanwhile.
    void process.call('work').catch(() => {})
  }

  /** Inflicts a fault on a pod without one. */
  async withVictim(inflict: (pod: Pod) => Promise<void>): Promise<void> {
    const well = () => this.#pods.filter((pod) => !this.#busy.has(pod) && !pod.hasEnded)
    while (well().length === 0) await sleep(50)
    const pod = this.#parts.random.pick(well())
    this.#busy.add(pod)
    await inflict(pod).finally(() => this.#busy.delete(pod))
  }

  /** Kills a pod at a point of its work, or anywhere if it does not get there, and starts another. */
  async kill(pod: Pod, at: Death): Promise<void> {
    const die = (point: Death): void => void pod.process.call('die', point).catch(() => {})
    die(at)
    await Promise.race([pod.process.exited, sleep(KILL_MS, undefined, { ref: false })])
    if (!pod.hasEnded) die('anywhere')
    await this.#ended(pod)
    this.work(await this.start(pod.kind))
  }

  /**
   * Replaces all pods that are there by others, in turn, as a deployment does; some of them are killed.
   *
   * @returns whether all of them were replaced, before the signal aborted
   */
  async replaceAll(signal: AbortSignal): Promise<boolean> {
    for (const pod of this.#pods) {
      while (this.#busy.has(pod) && !pod.hasEnded) await sleep(50)
      if (signal.aborted) return false
      // One that a fault has killed was replaced then.
      if (pod.hasEnded) continue
      this.#busy.add(pod)
      await this.#replace(pod).finally(() => this.#busy.delete(pod))
    }
    return true
  }

  async #replace(pod: Pod): Promise<void> {
    if (this.#parts.random.chance(0.3)) return this.kill(pod, 'anywhere')
    await this.leave(pod)
    this.work(await this.start(pod.kind))
  }

  /** Shuts a pod down gracefully. */
  async leave(pod: Pod): Promise<void> {
    void pod.process.call('leave').then(
      () => pod.process.stop(),
      () => {},
    )
    await this.#ended(pod)
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#pods.map(({ process }) => {
        process.signal('SIGKILL')
        return process.exited
      }),
    )
  }

  async #ended(pod: Pod): Promise<void> {
    const isTooLate = await Promise.race([
      pod.process.exited.then(() => false),
      sleep(LEAVE_MS, true, { ref: false }),
    ])
    if (isTooLate) throw new Error(`A pod did not end within ${LEAVE_MS} ms.`)
    this.#repeatedBefore += commandsRepeatedBy(pod)
    this.#pods = this.#pods.filter((other) => other !== pod)
  }
}
