import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { guestUserCache } from './guest-user.cache.js'
import { GuestUserResolver } from './guest-user.resolver.js'

@Module({ imports: [ModelCacheModule.forFeature([guestUserCache])], providers: [GuestUserResolver] })
export class GuestUserModule {}
