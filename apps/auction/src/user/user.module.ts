import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { userCache } from './user.cache.js'
import { UserResolver } from './user.resolver.js'

@Module({ imports: [ModelCacheModule.forFeature([userCache])], providers: [UserResolver] })
export class UserModule {}
