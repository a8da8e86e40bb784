import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'
import { FaultyWire } from '../faults/faulty-wire.ts'
import type { Death, PodSettings } from '../pod/protocol.ts'
import { cachesOf, type PodKind } from './pod-kinds.ts'
import { PodProcess, type WorkReport } from './pod-process.ts'

export interface FleetParts {
  readonly settings: Omit<PodSettings, 'valkeyUrl' | 'databaseUrl' | 'caches' | 'seed'>
  readonly valkeyPort: number
  readonly random: Random
  /** Told what each pod reports, by its number. */
  readonly onWork: (pod: number, report: WorkReport) => void
}

/** How long it may take until a pod comes to where it is to be killed: where no fence is taken there is no time after one. */
const KILL_MS = 3_000
/** How long a pod may take to end, which waits until the store has been told of all its writes. */
const LEAVE_MS = 20_000

/** The pods of an application, each behind a wire of its own; those that are killed are replaced. */
export class Fleet {
  readonly #parts: FleetParts
  #pods: readonly PodProcess[] = []
  /** Those that something befalls just now. */
  readonly #busy = new Set<PodProcess>()
  #repeatedBefore = 0
  /** By number. */
  readonly #kinds: PodKind[] = []

  constructor(parts: FleetParts) {
    this.#parts = parts
  }

  get pods(): readonly PodProcess[] {
    return this.#pods
  }

  /** Commands that wires have delivered twice. */
  get repeated(): number {
    return this.#pods.reduce((sum, { wires }) => sum + wires.valkey.repeated, this.#repeatedBefore)
  }

  kindOf(pod: number): PodKind {
    return this.#kinds[pod]!
  }

  async start(kind: PodKind): Promise<PodProcess> {
    const { settings, valkeyPort, onWork } = this.#parts
    const databaseUrl = new URL(settings.directUrl)
    const valkey = await FaultyWire.start(valkeyPort)
    const database = await FaultyWire.start(Number(databaseUrl.port))
    databaseUrl.port = String(database.port)
    const number = this.#kinds.push(kind) - 1
    const own = {
      valkeyUrl: `valkey://127.0.0.1:${valkey.port}`,
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

  /** Lets something befall a pod that is well. */
  async withVictim(befall: (pod: PodProcess) => Promise<void>): Promise<void> {
    const well = () => this.#pods.filter((pod) => !this.#busy.has(pod) && !pod.hasEnded)
    while (well().length === 0) await sleep(50)
    const pod = this.#parts.random.pick(well())
    this.#busy.add(pod)
    await befall(pod).finally(() => this.#busy.delete(pod))
  }

  /** Kills a pod at a point of its work, or at any other if it does not come there, and puts another one in its place. */
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
    if (isTooLate) throw new Error(`A pod has not ended within ${LEAVE_MS} ms.`)
    this.#repeatedBefore += pod.wires.valkey.repeated
    this.#pods = this.#pods.filter((other) => other !== pod)
  }
}
