import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'
import type { WorkReport } from '../history/history.ts'
import type { OpenedWires } from '../servers/access.ts'
import { FaultyWire } from '../servers/faulty-wire.ts'
import { PodProcess } from './pod-process.ts'
import type { Death, PodSettings } from './pod/protocol.ts'
import { cachesOf, type PodKind } from './rows.ts'

export interface FleetOptions {
  readonly settings: Omit<PodSettings, 'valkey' | 'databaseUrl' | 'caches' | 'seed'>
  /** Opens the wires of one pod to Valkey. */
  readonly openWires: () => Promise<OpenedWires>
  readonly random: Random
  /** Receives the reports of each pod, by its number. */
  readonly onWork: (pod: number, report: WorkReport) => void
}

/** Deadline for a pod to reach the point of its death: without a fence there is none after it. */
const KILL_MS = 3_000
/** Deadline for a pod to end, after the store has taken all its invalidations. */
const LEAVE_MS = 180_000

/** The pods of an application, each behind its own wires. Killed pods are replaced. */
export class Fleet {
  readonly #parts: FleetOptions
  #pods: readonly PodProcess[] = []
  /** Pods under a fault. */
  readonly #busy = new Set<PodProcess>()
  #repeatedBefore = 0
  /** By number. */
  readonly #kinds: PodKind[] = []

  constructor(parts: FleetOptions) {
    this.#parts = parts
  }

  get pods(): readonly PodProcess[] {
    return this.#pods
  }

  /** Commands that wires delivered twice. */
  get repeated(): number {
    return this.#pods.reduce((sum, { repeated }) => sum + repeated, this.#repeatedBefore)
  }

  kindOf(pod: number): PodKind {
    return this.#kinds[pod]!
  }

  async start(kind: PodKind): Promise<PodProcess> {
    const { settings, openWires, onWork } = this.#parts
    const databaseUrl = new URL(settings.directUrl)
    const { wires: valkey, access } = await openWires()
    const database = await FaultyWire.start(Number(databaseUrl.port))
    databaseUrl.port = String(database.port)
    const number = this.#kinds.push(kind) - 1
    const own = {
      valkey: access,
      databaseUrl: databaseUrl.href,
      caches: cachesOf[kind],
      seed: `chaos pod ${number}`,
    }
    const wires = { valkey, database }
    const pod = await PodProcess.start({ ...settings, ...own }, wires, kind, (report) =>
      onWork(number, report),
    )
    this.#pods = [...this.#pods, pod]
    return pod
  }

  /** Inflicts a fault on a pod without one. */
  async withVictim(inflict: (pod: PodProcess) => Promise<void>): Promise<void> {
    const well = () => this.#pods.filter((pod) => !this.#busy.has(pod) && !pod.hasEnded)
    while (well().length === 0) await sleep(50)
    const pod = this.#parts.random.pick(well())
    this.#busy.add(pod)
    await inflict(pod).finally(() => this.#busy.delete(pod))
  }

  /** Kills a pod at a point of its work, or anywhere if it does not get there, and starts another. */
  async kill(pod: PodProcess, at: Death): Promise<void> {
    pod.order({ do: 'die', at })
    await Promise.race([pod.exited, sleep(KILL_MS, undefined, { ref: false })])
    if (!pod.hasEnded) pod.order({ do: 'die', at: 'anywhere' })
    await this.#ended(pod)
    const other = await this.start(pod.kind)
    other.order({ do: 'work' })
  }

  async leave(pod: PodProcess): Promise<void> {
    pod.order({ do: 'leave' })
    await this.#ended(pod)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pods.map((pod) => pod.end()))
  }

  async #ended(pod: PodProcess): Promise<void> {
    const isTooLate = await Promise.race([
      pod.exited.then(() => false),
      sleep(LEAVE_MS, true, { ref: false }),
    ])
    if (isTooLate) throw new Error(`A pod did not end within ${LEAVE_MS} ms.`)
    this.#repeatedBefore += pod.repeated
    this.#pods = this.#pods.filter((other) => other !== pod)
  }
}
