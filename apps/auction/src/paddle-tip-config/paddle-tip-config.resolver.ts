import { Query, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { PaddleTipConfig } from '#prisma/client/client.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { paddleTipConfigCache } from './paddle-tip-config.cache.js'
import { PaddleTipConfigType } from './paddle-tip-config.type.js'

@Resolver(() => PaddleTipConfigType)
export class PaddleTipConfigResolver {
  constructor(
    @InjectModelCache(paddleTipConfigCache) private readonly configs: CacheOf<typeof paddleTipConfigCache>,
  ) {}

  @Query(() => PaddleTipConfigType, { nullable: true })
  paddleTipConfig(@IdArg('fundraiserId') fundraiserId: string): Promise<PaddleTipConfig | null> {
    return this.configs.get(fundraiserId)
  }
}
