import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FaultyWire } from '../faults/faulty-wire.ts'
import type { CacheSettings, Order, PodSettings, Report } from '../pod/protocol.ts'

const flags = (version: string): CacheSettings => ({ name: 'FeatureFlags', version, buckets: 64 })
const flagsOnceMore = (buckets: number): CacheSettings => ({
  name: 'FlagsOnceMore',
  version: 'first',
  buckets,
})

/**
 * The caches of each kind of pod: older and newer releases of an application, and a worker without any cache. `before` does not have the
 * lookups of the others, `other` has them with other orders and conditions, and `next` comes and goes.
 */
export const cachesOf = {
  first: { caches: [flags('first')], lots: { release: 'current', rows: 'copies' } },
  second: { caches: [flags('first'), flagsOnceMore(4)], lots: { release: 'current', rows: 'shared' } },
  before: { caches: [flags('first')], lots: { release: 'before', rows: 'copies' } },
  other: { caches: [flags('first'), flagsOnceMore(4)], lots: { release: 'other', rows: 'copies' } },
  next: { caches: [flags('next'), flagsOnceMore(8)], lots: { release: 'next', rows: 'shared' } },
  worker: { caches: [], lots: undefined },
} as const satisfies Record<string, Pick<PodSettings, 'caches' | 'lots'>>

export type PodKind = keyof typeof cachesOf

/** A report of a pod's work. */
export type WorkReport = Exclude<Report, { kind: 'ready' | 'resting' | 'readAll' }>

/** The wires between one pod and its servers. */
export interface Wires {
  /** To each server. */
  readonly valkey: readonly FaultyWire[]
  readonly database: FaultyWire
}

/** One process of the application, seen from outside. */
export class PodProcess {
  readonly wires: Wires
  readonly kind: PodKind
  readonly #child: ChildProcess
  readonly exited: Promise<unknown>
  #hasEnded = false

  private constructor(
    child: ChildProcess,
    wires: Wires,
    kind: PodKind,
    onWork: (report: WorkReport) => void,
  ) {
    this.wires = wires
    this.kind = kind
    this.#child = child
    this.exited = once(child, 'exit').then(async () => {
      this.#hasEnded = true
      await Promise.all([...wires.valkey, wires.database].map((wire) => wire.close()))
    })
    child.on('message', (report: Report) => {
      if (isOfWork(report)) onWork(report)
    })
  }

  /** @throws when the process ends instead */
  static async start(
    settings: PodSettings,
    wires: Wires,
    kind: PodKind,
    onWork: (report: WorkReport) => void,
  ): Promise<PodProcess> {
    const child = fork(join(import.meta.dirname, '../pod/serve-pod.ts'), {
      serialization: 'advanced',
      // Linux gives each session its share of the processors, as if each pod had some of its own.
      detached: true,
      // Not as an argument, which every user of the machine can read: it holds a password.
      env: { ...process.env, CHAOS_POD: JSON.stringify(settings) },
    })
    const pod = new PodProcess(child, wires, kind, onWork)
    await pod.#next('ready')
    return pod
  }

  /** Commands that its wires delivered twice. */
  get repeated(): number {
    return this.wires.valkey.reduce((sum, { repeated }) => sum + repeated, 0)
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  order(order: Order): void {
    if (this.#child.connected) this.#child.send(order, () => {})
  }

  async rest(): Promise<void> {
    this.order({ do: 'rest' })
    await this.#next('resting')
  }

  async readAll(): Promise<Report & { kind: 'readAll' }> {
    this.order({ do: 'readAll' })
    return this.#next('readAll')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return
    this.signal('SIGKILL')
    await this.exited
  }

  async #next<Kind extends Report['kind']>(kind: Kind): Promise<Report & { kind: Kind }> {
    return new Promise((resolve, reject) => {
      const listen = (report: Report): void => {
        if (report.kind !== kind) return
        this.#child.off('message', listen)
        resolve(report as Report & { kind: Kind })
      }
      this.#child.on('message', listen)
      void this.exited.then(() => reject(new Error(`A pod has ended before it was ${kind}.`)))
    })
  }
}

function isOfWork(report: Report): report is WorkReport {
  return report.kind !== 'ready' && report.kind !== 'resting' && report.kind !== 'readAll'
}
