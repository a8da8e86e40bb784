import { Module } from '@nestjs/common'
import type { DynamicModule } from '@nestjs/common'
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core'
import { EventLoopLagInterceptor } from 'model-cache'
import { AuctionBidModule } from './auction-bid/auction-bid.module.js'
import { AuctionItemModule } from './auction-item/auction-item.module.js'
import { AuctionPageModule } from './auction-page/auction-page.module.js'
import { BurstModule } from './burst/burst.module.js'
import type { AppConfig } from './config/app-config.js'
import { AppConfigModule } from './config/app-config.module.js'
import { FeatureFlagsModule } from './feature-flags/feature-flags.module.js'
import { FundraiserModule } from './fundraiser/fundraiser.module.js'
import { GivingLevelModule } from './giving-level/giving-level.module.js'
import { GuestUserModule } from './guest-user/guest-user.module.js'
import { cachingModule } from './infrastructure/caching/caching.module.js'
import { followDatabase } from './infrastructure/caching/follow-database.js'
import { DatabaseModule } from './infrastructure/database/database.module.js'
import { AuctionGraphqlModule } from './infrastructure/graphql/graphql.module.js'
import { GraphqlErrorsFilter } from './infrastructure/graphql/graphql-errors.filter.js'
import { HealthModule } from './infrastructure/health/health.module.js'
import { LoggingModule } from './infrastructure/logging/logging.module.js'
import { MetricsModule } from './infrastructure/metrics/metrics.module.js'
import { ShutdownModule } from './infrastructure/shutdown/shutdown.module.js'
import { ValkeyModule } from './infrastructure/valkey/valkey.module.js'
import { inspectorModule } from './inspector/inspector.module.js'
import { ItemModule } from './item/item.module.js'
import { LiveModule } from './live/live.module.js'
import { PaddleTipConfigModule } from './paddle-tip-config/paddle-tip-config.module.js'
import { PageModule } from './page/page.module.js'
import { SponsorBundleModule } from './sponsor-bundle/sponsor-bundle.module.js'
import { UserModule } from './user/user.module.js'

@Module({})
export class AppModule {
  static register(config: AppConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        AppConfigModule.register(config),
        LoggingModule,
        DatabaseModule,
        ValkeyModule,
        // `npx model-cache warm` has this process read ids of another region or namespace.
        cachingModule(followDatabase, {}),
        AuctionGraphqlModule,
        ShutdownModule,
        HealthModule,
        MetricsModule,
        AuctionBidModule,
        AuctionItemModule,
        AuctionPageModule,
        FeatureFlagsModule,
        FundraiserModule,
        GivingLevelModule,
        GuestUserModule,
        ItemModule,
        PaddleTipConfigModule,
        SponsorBundleModule,
        UserModule,
        PageModule,
        inspectorModule(),
        LiveModule,
        BurstModule,
      ],
      providers: [
        { provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor },
        { provide: APP_FILTER, useClass: GraphqlErrorsFilter },
      ],
    }
  }
}
