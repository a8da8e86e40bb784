import { Global, Inject, Module } from '@nestjs/common'
import type { OnApplicationShutdown } from '@nestjs/common'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'
import { startValkeyServer } from './valkey-server.js'

/** The store in which rows are cached. */
export interface CacheLocation {
  /** `undefined` for the in-memory store. */
  readonly url: string | undefined
  /** For logs, without credentials. */
  readonly description: string
  stop(): Promise<void>
}

export const CACHE_LOCATION = Symbol('CACHE_LOCATION')

@Global()
@Module({
  providers: [{ provide: CACHE_LOCATION, inject: [APP_CONFIG], useFactory: findCacheLocation }],
  exports: [CACHE_LOCATION],
})
export class ValkeyModule implements OnApplicationShutdown {
  constructor(@Inject(CACHE_LOCATION) private readonly location: CacheLocation) {}

  async onApplicationShutdown(): Promise<void> {
    await this.location.stop()
  }
}

async function findCacheLocation({ valkey }: AppConfig): Promise<CacheLocation> {
  const nothingToStop = async (): Promise<void> => {}
  if (typeof valkey === 'object') {
    const description = `Valkey at ${new URL(valkey.url).host}`
    return { url: valkey.url, description, stop: nothingToStop }
  }
  const server = valkey === 'start' ? await startValkeyServer() : undefined
  if (server) {
    return {
      url: server.url,
      description: `valkey-server at ${server.address}, started by this process`,
      stop: server.stop,
    }
  }
  const reason = valkey === 'start' ? ', as there is no valkey-server on PATH' : ''
  return { url: undefined, description: `in-memory store${reason}`, stop: nothingToStop }
}
