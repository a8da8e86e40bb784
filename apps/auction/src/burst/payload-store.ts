import { Inject, Injectable } from '@nestjs/common'
import type { OnApplicationShutdown } from '@nestjs/common'
import { Redis } from 'ioredis'
import { APP_CONFIG } from '../config/app-config.js'
import type { AppConfig } from '../config/app-config.js'
import { CACHE_LOCATION } from '../infrastructure/valkey/valkey.module.js'
import type { CacheLocation } from '../infrastructure/valkey/valkey.module.js'

const TTL_MS = 600_000

/** Stores the payloads of the earlier designs, under separate keys in the same Valkey or in memory. */
@Injectable()
export class PayloadStore implements OnApplicationShutdown {
  readonly #prefix: string
  readonly #client: Redis | undefined
  readonly #memory = new Map<string, string>()

  constructor(
    @Inject(APP_CONFIG) { cacheNamespace }: AppConfig,
    @Inject(CACHE_LOCATION) { url }: CacheLocation,
  ) {
    this.#prefix = `${cacheNamespace}:burst:`
    if (url === undefined) return
    // ioredis accepts only `redis:` and `rediss:`.
    this.#client = new Redis(url.replace(/^valkey/, 'redis'), {
      enableAutoPipelining: true,
      lazyConnect: true,
      maxRetriesPerRequest: 1,
    })
    // Ignored, because the commands fail as well and report the error.
    this.#client.on('error', () => {})
  }

  async get(key: string): Promise<string | null> {
    return this.#client ? this.#client.get(this.#prefix + key) : (this.#memory.get(key) ?? null)
  }

  async set(key: string, payload: string): Promise<void> {
    if (this.#client) await this.#client.set(this.#prefix + key, payload, 'PX', TTL_MS)
    else this.#memory.set(key, payload)
  }

  onApplicationShutdown(): void {
    this.#client?.disconnect()
  }
}
