import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describeValkey, startValkey, type ValkeyServer } from '../../support/valkey-server.ts'

const DOWN_MS = 500
const HANG_MS = 2_000

/** Keys of one database of the server. */
export interface Keys {
  readonly keys: number
  /** Those without an expiry. */
  readonly lasting: number
}

/** A Valkey server with faults. */
export class SoakedServer {
  readonly name: string
  readonly #folder: string
  #server: ValkeyServer
  #client: Redis

  private constructor(name: string, folder: string, server: ValkeyServer) {
    this.name = name
    this.#folder = folder
    this.#server = server
    this.#client = new Redis(server.url.replace('valkey', 'redis'), { maxRetriesPerRequest: null })
    this.#client.on('error', () => {})
  }

  static async start(): Promise<SoakedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'model-cache-soak-'))
    const server = await startValkey({ args: ['--dir', folder] })
    return new SoakedServer(await describeValkey(server.url), folder, server)
  }

  get url(): string {
    return this.#server.url
  }

  /** What happens to the server, by name. */
  readonly faults: Readonly<Record<'emptied' | 'hung' | 'restarted' | 'cut', () => Promise<void>>> = {
    emptied: async () => {
      await this.#server.kill('SIGKILL')
      await this.#return()
    },
    hung: async () => {
      await this.#server.kill('SIGSTOP')
      await sleep(HANG_MS)
      await this.#server.kill('SIGCONT')
    },
    /** Keeps what it holds. */
    restarted: async () => {
      // The server does not answer, it ends.
      const ender = new Redis(this.url.replace('valkey', 'redis'), { retryStrategy: null })
      ender.on('error', () => {})
      await ender.call('SHUTDOWN', 'SAVE').catch(() => {})
      ender.disconnect()
      await this.#return()
    },
    /** All connections, also the one that asks. */
    cut: async () => {
      await this.#client.call('CLIENT', 'KILL', 'SKIPME', 'yes')
    },
  }

  /** Numbers of keys in a database, of which some may have expired a moment ago. */
  async keysOf(database: number): Promise<Keys> {
    const info = await this.#client.info('keyspace')
    const [, keys = 0, expires = 0] =
      new RegExp(`^db${database}:keys=(\\d+),expires=(\\d+)`, 'm').exec(info) ?? []
    return { keys: Number(keys), lasting: Number(keys) - Number(expires) }
  }

  /** The names of all keys of a database. */
  async namesOf(database: number): Promise<string[]> {
    const client = this.#client.duplicate({ db: database })
    try {
      return await client.keys('*')
    } finally {
      client.disconnect()
    }
  }

  async stop(): Promise<void> {
    this.#client.disconnect()
    await this.#server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Starts the server again, with what it has saved. */
  async #return(): Promise<void> {
    const { port } = this.#server
    await this.#server.stop()
    await sleep(DOWN_MS)
    this.#server = await startValkey({ port, args: ['--dir', this.#folder] })
    await rm(join(this.#folder, 'dump.rdb'), { force: true })
  }
}
