import { ModelCacheModule } from 'model-cache'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'
import { PrismaService } from '../database/prisma.service.js'
import { CACHE_LOCATION } from '../valkey/valkey.module.js'
import type { CacheLocation } from '../valkey/valkey.module.js'

/** The library's root module. Feature modules add their caches with ModelCacheModule.forFeature. */
export const CachingModule = ModelCacheModule.forRootAsync({
  inject: [APP_CONFIG, CACHE_LOCATION],
  useFactory: ({ cacheNamespace, metrics }: AppConfig, { url }: CacheLocation) => ({
    prisma: PrismaService,
    namespace: cacheNamespace,
    ...(url !== undefined && { valkey: { url } }),
    ...(metrics && { registry: metrics }),
  }),
})
