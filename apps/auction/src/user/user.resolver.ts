import { Query, Resolver } from '@nestjs/graphql'
import { type } from 'arktype'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { User } from '#prisma/client/client.js'
import { IdArg, ValidArgs } from '../infrastructure/graphql/valid-args.js'
import { userCache } from './user.cache.js'
import { UserType } from './user.type.js'

@Resolver(() => UserType)
export class UserResolver {
  constructor(@InjectModelCache(userCache) private readonly users: CacheOf<typeof userCache>) {}

  @Query(() => UserType, { nullable: true })
  user(@IdArg() id: string): Promise<User | null> {
    return this.users.get(id)
  }

  @Query(() => UserType, { nullable: true })
  userByEmail(
    @ValidArgs('email', type('string <= 320'), { type: () => String }) email: string,
  ): Promise<User | null> {
    return this.users.getBy('email', email)
  }
}
