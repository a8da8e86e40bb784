import { Query, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { Item } from '#prisma/client/client.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { itemCache } from './item.cache.js'
import { ItemType } from './item.type.js'

@Resolver(() => ItemType)
export class ItemResolver {
  constructor(@InjectModelCache(itemCache) private readonly items: CacheOf<typeof itemCache>) {}

  @Query(() => ItemType, { nullable: true })
  item(@IdArg() id: string): Promise<Item | null> {
    return this.items.get(id)
  }
}
