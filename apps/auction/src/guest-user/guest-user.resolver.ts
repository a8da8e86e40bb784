import { Query, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { GuestUser } from '#prisma/client/client.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { guestUserCache } from './guest-user.cache.js'
import { GuestUserType } from './guest-user.type.js'

@Resolver(() => GuestUserType)
export class GuestUserResolver {
  constructor(@InjectModelCache(guestUserCache) private readonly guests: CacheOf<typeof guestUserCache>) {}

  @Query(() => GuestUserType, { nullable: true })
  guestUser(@IdArg() id: string): Promise<GuestUser | null> {
    return this.guests.get(id)
  }
}
