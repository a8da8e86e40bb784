import { Query, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { GivingLevel } from '#prisma/client/client.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { givingLevelCache } from './giving-level.cache.js'
import { GivingLevelType } from './giving-level.type.js'

@Resolver(() => GivingLevelType)
export class GivingLevelResolver {
  constructor(
    @InjectModelCache(givingLevelCache) private readonly levels: CacheOf<typeof givingLevelCache>,
  ) {}

  @Query(() => GivingLevelType, { nullable: true })
  givingLevel(@IdArg() id: string): Promise<GivingLevel | null> {
    return this.levels.get(id)
  }
}
