import { Inject, Injectable } from '@nestjs/common'
import type { OnApplicationShutdown } from '@nestjs/common'
import { Redis } from 'ioredis'
import { APP_CONFIG } from '../config/app-config.js'
import type { AppConfig } from '../config/app-config.js'
import { CACHE_PLACE } from '../infrastructure/valkey/valkey.module.js'
import type { CachePlace } from '../infrastructure/valkey/valkey.module.js'

const TTL_MS = 600_000

/** What the earlier designs store, beside the rows of model-cache and under keys of their own. */
@Injectable()
export class StormTexts implements OnApplicationShutdown {
  readonly #prefix: string
  readonly #client: Redis | undefined
  readonly #memory = new Map<string, string>()

  constructor(@Inject(APP_CONFIG) { cacheNamespace }: AppConfig, @Inject(CACHE_PLACE) { url }: CachePlace) {
    this.#prefix = `${cacheNamespace}:storm:`
    if (url === undefined) return
    // ioredis knows only its own scheme's names.
    this.#client = new Redis(url.replace(/^valkey/, 'redis'), {
      enableAutoPipelining: true,
      lazyConnect: true,
      maxRetriesPerRequest: 1,
    })
    // Commands fail as well, and those are told of.
    this.#client.on('error', () => {})
  }

  async get(key: string): Promise<string | null> {
    return this.#client ? this.#client.get(this.#prefix + key) : (this.#memory.get(key) ?? null)
  }

  async set(key: string, text: string): Promise<void> {
    if (this.#client) await this.#client.set(this.#prefix + key, text, 'PX', TTL_MS)
    else this.#memory.set(key, text)
  }

  onApplicationShutdown(): void {
    this.#client?.disconnect()
  }
}
