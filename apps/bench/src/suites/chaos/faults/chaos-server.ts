import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startValkey, type ValkeyServer } from '../../../../../../test/support/valkey-server.ts'

/** A Valkey server with faults. */
export class ChaosServer {
  #server: ValkeyServer
  /** Number of evicted keys. */
  evicted = 0

  private constructor(server: ValkeyServer) {
    this.#server = server
  }

  static async start(): Promise<ChaosServer> {
    return new ChaosServer(await startValkey())
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
    return this.#ask(async (client) => void (await client.flushall()))
  }

  delete(key: string): Promise<void> {
    return this.#ask(async (client) => void (await client.unlink(key)))
  }

  /** Limits its memory below what it holds, for a while. */
  squeeze(bytes: number, ms: number): Promise<void> {
    return this.#ask(async (client) => {
      const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1])
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      await client.config('SET', 'maxmemory', String(used - bytes))
      await sleep(ms)
      await client.config('SET', 'maxmemory', '0')
      this.evicted += Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))![1])
      await client.config('RESETSTAT')
    })
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }

  async #ask(work: (client: Redis) => Promise<void>): Promise<void> {
    const client = new Redis(this.url.replace('valkey', 'redis'))
    client.on('error', () => {})
    await work(client).finally(() => client.disconnect())
  }
}
