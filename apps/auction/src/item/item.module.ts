import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { itemCache } from './item.cache.js'
import { ItemResolver } from './item.resolver.js'

@Module({ imports: [ModelCacheModule.forFeature([itemCache])], providers: [ItemResolver] })
export class ItemModule {}
