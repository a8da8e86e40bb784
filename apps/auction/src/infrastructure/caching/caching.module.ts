import type { DynamicModule } from '@nestjs/common'
import { ModelCacheModule, type ModelCacheModuleOptions } from 'model-cache'
import type { Follow } from '@model-cache/follow'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'
import { PrismaService } from '../database/prisma.service.js'
import { CACHE_LOCATION } from '../valkey/valkey.module.js'
import type { CacheLocation } from '../valkey/valkey.module.js'

/**
 * The library's root module. Feature modules add their caches with ModelCacheModule.forFeature.
 *
 * @param followOf returns how the process learns of writes outside Prisma. @default it does not
 * @param warm what warms the caches up. @default nothing
 */
export function cachingModule(
  followOf?: (config: AppConfig) => Follow | undefined,
  warm?: ModelCacheModuleOptions['warm'],
): DynamicModule {
  return ModelCacheModule.forRootAsync({
    inject: [APP_CONFIG, CACHE_LOCATION],
    useFactory: (config: AppConfig, { url }: CacheLocation) => {
      const { cacheNamespace, metrics, valkey } = config
      const follow = followOf?.(config)
      return {
        prisma: PrismaService,
        namespace: cacheNamespace,
        ...(url !== undefined && { valkey: { ...(typeof valkey === 'object' && valkey), url } }),
        ...(metrics && { registry: metrics }),
        ...(follow && { follow }),
        ...(warm && { warm }),
      }
    },
  })
}
