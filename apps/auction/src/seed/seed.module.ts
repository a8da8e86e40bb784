import { Module } from '@nestjs/common'
import type { DynamicModule } from '@nestjs/common'
import type { AppConfig } from '../config/app-config.js'
import { AppConfigModule } from '../config/app-config.module.js'
import { cachingModule } from '../infrastructure/caching/caching.module.js'
import { DatabaseModule } from '../infrastructure/database/database.module.js'
import { ValkeyModule } from '../infrastructure/valkey/valkey.module.js'
import { SeedService } from './seed.service.js'

/** The database, and the store of the caches, without a server and without caches. */
@Module({})
export class SeedModule {
  static register(config: AppConfig): DynamicModule {
    return {
      module: SeedModule,
      imports: [AppConfigModule.register(config), DatabaseModule, ValkeyModule, cachingModule()],
      providers: [SeedService],
    }
  }
}
