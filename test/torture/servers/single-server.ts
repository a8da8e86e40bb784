import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.ts'
import type { FaultKinds, FaultyServer, OpenedWires, ServerFault } from './access.ts'
import { ask, deleteKey, flush, squeeze } from './ask.ts'
import { Disks } from './disks.ts'
import { FaultyWire } from './faulty-wire.ts'

const WITH_LOG = ['--appendonly', 'yes']

/** One server, alone. */
export class SingleServer implements FaultyServer {
  #server: ValkeyServer
  readonly #disks = new Disks()
  readonly replicas = 0
  evicted = 0
  /** It comes back with what it held some time before. The cache fails closed, so this excuses nothing. */
  readonly #returns: readonly ServerFault[] = [
    {
      kind: 'oldSnapshot',
      inflict: async (random) => {
        const folder = await this.#disks.snapshotOf(this.port)
        await sleep(random.integer(0, 1_500))
        await this.#comeBack(folder, [], random)
      },
    },
    {
      kind: 'cutLog',
      inflict: async (random) => {
        const dir = await this.#disks.startLog(this.port)
        await sleep(random.integer(200, 2_000))
        await this.#server.kill('SIGKILL')
        const folder = await this.#disks.copyLog(dir)
        await this.#disks.cutLog(folder, random.integer(1_000, 50_000))
        await this.#comeBack(folder, WITH_LOG, random)
      },
    },
    {
      kind: 'oldFolder',
      inflict: async (random) => {
        const folder = await this.#disks.copyLog(await this.#disks.startLog(this.port))
        await sleep(random.integer(0, 2_000))
        await this.#comeBack(folder, WITH_LOG, random)
      },
    },
  ]
  readonly #others: readonly ServerFault[] = [
    {
      kind: 'serverRestart',
      losesKeys: true,
      inflict: (random) => this.restart(random.integer(0, 600)),
    },
    { kind: 'serverStop', inflict: (random) => this.pause(random.integer(100, 1_200)) },
    { kind: 'flush', losesKeys: true, inflict: () => flush(this.port) },
    {
      kind: 'eviction',
      losesKeys: true,
      inflict: async (random) => void (this.evicted += await squeeze(this.port, random)),
    },
    // As an eviction. The cache fails closed, so this loss excuses nothing.
    { kind: 'catalogueHash', inflict: () => deleteKey([this.port], 'mc:{catalogue}') },
    { kind: 'catalogueEpoch', inflict: () => deleteKey([this.port], 'mc:{catalogue}:epoch') },
  ]
  readonly faults: readonly ServerFault[]

  private constructor(server: ValkeyServer, kinds: FaultKinds) {
    this.#server = server
    this.faults = kinds === 'old data' ? this.#returns : [...this.#returns, ...this.#others]
  }

  static async start(kinds: FaultKinds = 'all'): Promise<SingleServer> {
    return new SingleServer(await startValkey(), kinds)
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
    await this.#startAgain(downMs)
  }

  /** Ends the server as its operator does, so that it keeps what it holds. */
  async restartSaved(downMs: number): Promise<void> {
    const folder = await this.#disks.shutDown(this.port)
    await this.#startAgain(downMs, ['--dir', folder])
  }

  async pause(ms: number): Promise<void> {
    await this.#server.kill('SIGSTOP')
    await sleep(ms)
    await this.#server.kill('SIGCONT')
  }

  /** Cuts all connections. */
  async cut(): Promise<void> {
    await ask(this.port, (client) => client.call('CLIENT', 'KILL', 'SKIPME', 'yes'))
  }

  async openWires(): Promise<OpenedWires> {
    const wire = await FaultyWire.start(this.port)
    return { wires: [wire], access: { kind: 'single', url: `valkey://127.0.0.1:${wire.port}` } }
  }

  async stop(): Promise<void> {
    await this.#server.stop()
    await this.#disks.clear()
  }

  async #startAgain(downMs: number, args: readonly string[] = []): Promise<void> {
    const { port } = this
    await this.#server.stop()
    await sleep(downMs)
    this.#server = await startValkey({ port, args: [...args] })
  }

  /** Kills the server and starts it from a folder, sometimes twice. */
  async #comeBack(folder: string, args: readonly string[], random: Random): Promise<void> {
    for (let times = random.chance(0.3) ? 2 : 1; times > 0; times--) {
      await this.#server.kill('SIGKILL')
      const dir = await this.#disks.copyOf(folder)
      await this.#startAgain(random.integer(0, 600), [...args, '--dir', dir])
      if (times > 1) await sleep(random.integer(0, 1_500))
    }
  }
}
