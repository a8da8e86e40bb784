import { Global, Inject, Module } from '@nestjs/common'
import type { OnApplicationShutdown } from '@nestjs/common'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'
import { startValkeyServer } from './valkey-server.js'

/** Where the rows are cached. */
export interface CachePlace {
  /** `undefined`: in the memory of this process. */
  readonly url: string | undefined
  /** For people and logs; holds no credentials. */
  readonly description: string
  stop(): Promise<void>
}

/** Token of the CachePlace. */
export const CACHE_PLACE = Symbol('CACHE_PLACE')

@Global()
@Module({
  providers: [{ provide: CACHE_PLACE, inject: [APP_CONFIG], useFactory: findCachePlace }],
  exports: [CACHE_PLACE],
})
export class ValkeyModule implements OnApplicationShutdown {
  constructor(@Inject(CACHE_PLACE) private readonly place: CachePlace) {}

  async onApplicationShutdown(): Promise<void> {
    await this.place.stop()
  }
}

async function findCachePlace({ valkey }: AppConfig): Promise<CachePlace> {
  const nothingToStop = async (): Promise<void> => {}
  if (typeof valkey === 'object') {
    const description = `Valkey at ${new URL(valkey.url).host}`
    return { url: valkey.url, description, stop: nothingToStop }
  }
  const server = valkey === 'start' ? await startValkeyServer() : undefined
  if (server) {
    return {
      url: server.url,
      description: `a valkey-server of its own at ${server.address}`,
      stop: server.stop,
    }
  }
  const reason = valkey === 'start' ? ' (no valkey-server on PATH)' : ''
  return { url: undefined, description: `the in-memory store${reason}`, stop: nothingToStop }
}
