import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'

/** A Valkey whose data folder outlives its process, as on a host that keeps its disk. */
export class KeptValkey {
  readonly admin: Redis
  readonly port: number
  readonly #folder: string
  readonly #args: readonly string[]
  #server: ValkeyServer

  private constructor(server: ValkeyServer, folder: string, args: readonly string[]) {
    this.#server = server
    this.#folder = folder
    this.#args = args
    this.port = server.port
    this.admin = new Redis(server.port, { maxRetriesPerRequest: null, retryStrategy: () => 10 })
    this.admin.on('error', () => {})
  }

  static async start(args: readonly string[] = []): Promise<KeptValkey> {
    const folder = await mkdtemp(join(tmpdir(), 'kept-valkey-'))
    return new KeptValkey(await startValkey({ args: [...args, '--dir', folder] }), folder, args)
  }

  get url(): string {
    return this.#server.url
  }

  kill(): Promise<void> {
    return this.#server.kill('SIGKILL')
  }

  /** Starts the server again from what its folder has. */
  async start(): Promise<void> {
    await this.#server.stop()
    this.#server = await startValkey({ port: this.port, args: [...this.#args, '--dir', this.#folder] })
  }

  /** Copies the folder, as a backup of a running server does. @returns puts the copy back */
  async backUp(): Promise<() => Promise<void>> {
    const copy = await mkdtemp(join(tmpdir(), 'kept-valkey-copy-'))
    await cp(this.#folder, copy, { recursive: true })
    return async () => {
      await rm(this.#folder, { recursive: true })
      await cp(copy, this.#folder, { recursive: true })
      await rm(copy, { recursive: true })
    }
  }

  /** Cuts the end of the append-only file back to a length that it had. */
  async cutLog(length: number): Promise<void> {
    await truncate(await this.#logFile(), length)
  }

  async logLength(): Promise<number> {
    return (await stat(await this.#logFile())).size
  }

  async stop(): Promise<void> {
    this.admin.disconnect()
    await this.#server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #logFile(): Promise<string> {
    const files = await readdir(this.#folder, { recursive: true })
    return join(
      this.#folder,
      files.find((file) => file.endsWith('.incr.aof')) ?? files.find((file) => file.endsWith('.aof'))!,
    )
  }
}
