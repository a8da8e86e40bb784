import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, WorkReport } from '../history/history.ts'
import type { FaultyWire } from '../servers/faulty-wire.ts'
import type { Order, PodSettings, Report } from './pod/protocol.ts'
import type { PodKind } from './rows.ts'

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
  readonly exited: Promise<unknown>
  readonly #child: ChildProcess
  #hasEnded = false
  #onDone: (answers: readonly Answer[]) => void = () => {}

  private constructor(wires: Wires, kind: PodKind, settings: PodSettings) {
    this.wires = wires
    this.kind = kind
    this.#child = fork(join(import.meta.dirname, 'pod/serve-pod.ts'), {
      serialization: 'advanced',
      // Linux gives each session its share of the processors, as if each pod had some of its own.
      detached: true,
      // Not as an argument, which every user of the machine can read: it holds a password.
      env: { ...process.env, CHAOS_POD: JSON.stringify(settings) },
    })
    this.exited = once(this.#child, 'exit').then(async () => {
      this.#hasEnded = true
      await Promise.all([...wires.valkey, wires.database].map((wire) => wire.close()))
    })
  }

  /** @throws when the process ends instead */
  static async start(
    settings: PodSettings,
    wires: Wires,
    kind: PodKind,
    onWork: (report: WorkReport) => void,
  ): Promise<PodProcess> {
    const pod = new PodProcess(wires, kind, settings)
    pod.#child.on('message', (report: Report) =>
      report.kind === 'done' ? pod.#onDone(report.answers) : onWork(report),
    )
    await pod.#done()
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

  /** Resolves when it is done with an order that says so. */
  ask(what: 'rest' | 'readAll'): Promise<readonly Answer[]> {
    const done = this.#done()
    this.order({ do: what })
    return done
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return
    this.signal('SIGKILL')
    await this.exited
  }

  #done(): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      this.#onDone = resolve
      void this.exited.then(() => reject(new Error('A pod has ended before it was done.')))
    })
  }
}
