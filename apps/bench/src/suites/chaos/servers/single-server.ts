import { setTimeout as sleep } from 'node:timers/promises'
import { startValkey, type ValkeyServer } from '../../../../../../test/support/valkey-server.ts'
import type { Fault } from '../faults/fault.ts'
import { FaultyWire } from '../faults/faulty-wire.ts'
import { ask, deleteKey, squeeze } from './ask.ts'
import type { ChaosServer } from './chaos-server.ts'
import type { OpenedWires } from './opened-wires.ts'

/** One server, alone. */
export class SingleServer implements ChaosServer {
  #server: ValkeyServer
  readonly replicas = 0
  evicted = 0
  readonly faults: readonly Fault[] = [
    {
      kind: 'serverRestart',
      losesKeys: true,
      inflict: ({ random }) => this.restart(random.integer(0, 600)),
    },
    { kind: 'serverStop', inflict: ({ random }) => this.pause(random.integer(100, 1_200)) },
    { kind: 'flush', losesKeys: true, inflict: () => this.flush() },
    {
      kind: 'eviction',
      losesKeys: true,
      inflict: async ({ random }) => {
        const [bytes, ms] = [random.integer(1_000, 60_000), random.integer(500, 2_000)]
        this.evicted += await squeeze(this.port, bytes, ms)
      },
    },
    // As an eviction. The cache fails closed, so this loss excuses nothing.
    { kind: 'catalogueHash', inflict: () => deleteKey([this.port], 'mc:{catalogue}') },
    { kind: 'catalogueWord', inflict: () => deleteKey([this.port], 'mc:{catalogue}:word') },
  ]

  private constructor(server: ValkeyServer) {
    this.#server = server
  }

  static async start(): Promise<SingleServer> {
    return new SingleServer(await startValkey())
  }

  get port(): number {
    return this.#server.port
  }

  get url(): string {
    return this.#server.url
  }

  /** Kills the server, and starts it again after a while, empty. */
  async restart(downMs: number): Promise<void> {
    await this.#server.kill('SIGKILL')
    await this.#server.stop()
    await sleep(downMs)
    this.#server = await startValkey({ port: this.port })
  }

  async pause(ms: number): Promise<void> {
    await this.#server.kill('SIGSTOP')
    await sleep(ms)
    await this.#server.kill('SIGCONT')
  }

  flush(): Promise<void> {
    return ask(this.port, async (client) => void (await client.flushall()))
  }

  async openWires(): Promise<OpenedWires> {
    const wire = await FaultyWire.start(this.port)
    return { wires: [wire], access: { kind: 'single', url: `valkey://127.0.0.1:${wire.port}` } }
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }
}
