/** A complete application that uses the published package. scripts/publish/check-package.ts compiles and runs it in an empty folder. */
import 'reflect-metadata'
import { Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type } from 'arktype'
import { InjectModelCache, ModelCacheModule, modelCaches } from 'model-cache'
import type { CacheOf } from 'model-cache'

export const { defineModelCache } = modelCaches()

interface Lot {
  id: string
  title: string
  endsAt: Date | null
}

let loads = 0

export const lotCache = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'string', title: 'string', endsAt: 'Date | null' }),
  id: 'id',
  ttl: '10m',
  dependsOn: [],
  load: (_client, ids) => {
    loads++
    return ids.filter((id) => id !== 'none').map((id) => ({ id, title: `Lot ${id}`, endsAt: new Date(0) }))
  },
})

@Injectable()
class LotReader {
  constructor(@InjectModelCache(lotCache) readonly lots: CacheOf<typeof lotCache>) {}
}

@Module({
  imports: [ModelCacheModule.forRoot({}), ModelCacheModule.forFeature([lotCache])],
  providers: [LotReader],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] })
const { lots } = app.get(LotReader)
console.log(await lots.getMany(['7', 'none', '8']))
console.log((await lots.get('7'))?.endsAt instanceof Date, 'loads:', loads)
await app.close()
