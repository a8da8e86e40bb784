/** What shutdown.spec.ts starts and watches end: an application that is closed during a burst. */
import { writeSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type } from 'arktype'
import { patientMs } from '../support/patience.ts'

const { LIBRARY, VALKEY_URL } = process.env
const { getModelCacheToken, ModelCacheModule, modelCaches } = (await import(
  LIBRARY!
)) as typeof import('model-cache')
const { defineModelCache } = modelCaches()

interface Lot {
  id: string
  name: string
  endsAt: Date
}
const lot = (id: string): Lot => ({ id, name: `lot ${id}`, endsAt: new Date(7) })
const lots = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'string', name: 'string', endsAt: 'Date' }),
  id: 'id',
  ttl: '10m',
  l1: { ttl: '1m' },
  dependsOn: [],
  load: async (_client: unknown, ids: readonly string[]) => {
    await sleep(20)
    return ids.map(lot)
  },
})

class App {}
Logger.overrideLogger(false)
const app = await NestFactory.createApplicationContext(
  {
    module: App,
    imports: [
      ModelCacheModule.forRoot({
        valkey: { url: VALKEY_URL!, deadlineMs: patientMs },
        eventLoop: { budgetMs: 0.5 },
      }),
      ModelCacheModule.forFeature([lots]),
    ],
  },
  { logger: false },
)
const cache = app.get<import('model-cache').CacheOf<typeof lots>>(getModelCacheToken(lots))
await cache.getMany(Array.from({ length: 1_000 }, (_, i) => `${i}`))
process.send!('ready')
await once(process, 'message')
process.disconnect!()

let asked = 0
let answered = 0
const read = (id: string): void => {
  asked++
  void cache.get(id).then(() => answered++)
}
// Hits, misses and copies, more than the slicer can hand out in the turns that closing takes by itself.
for (let i = 0; i < 5_000; i++) read(`${i}`)
for (let i = 0; i < 20_000; i++) read('the same')
void cache.prime(Array.from({ length: 500 }, (_, i) => lot(`primed ${i}`)))
void cache.invalidate(['1', '2', '3'])
await app.close()
writeSync(1, JSON.stringify({ asked, answered, resources: process.getActiveResourcesInfo() }))
