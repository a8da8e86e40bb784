/** What inspector.spec.ts starts and stops: another process in the namespace of the auction, with lots of another schema. */
import { Logger } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type } from 'arktype'
import { builtEntry } from '../support/build-library.ts'
import { patientMs } from '../support/patience.ts'

const { HOLDER, LIBRARY, NAMESPACE, VALKEY_URL } = process.env
const entry = (name: string): string => new URL(name, `file://${LIBRARY}`).href
const { ModelCacheModule, modelCaches } = (await import(entry('index.js'))) as typeof import('model-cache')
const { defineModelCache } = modelCaches()
const { BlockWatch } = (await import(
  builtEntry(LIBRARY!, '@model-cache/event-loop')
)) as typeof import('@model-cache/event-loop')
const { ModelCacheInspectorModule } = (await import(
  builtEntry(LIBRARY!, '@model-cache/inspector')
)) as typeof import('@model-cache/inspector')

const lots = defineModelCache<{ id: string }>()({
  model: 'AuctionItem',
  schema: type({ id: 'string' }),
  id: 'id',
  ttl: '10m',
  dependsOn: [],
  load: async (_client: unknown, ids: readonly string[]) => ids.map((id) => ({ id })),
})

class App {}
Logger.overrideLogger(false)
const app = await NestFactory.createApplicationContext({
  module: App,
  imports: [
    ModelCacheModule.forRoot({ namespace: NAMESPACE!, valkey: { url: VALKEY_URL!, deadlineMs: patientMs } }),
    ModelCacheModule.forFeature([lots]),
    ModelCacheInspectorModule.forRoot(),
  ],
})

// Blocks the event loop until the thread that names blocks has started, and has seen one.
const watch = app.get(BlockWatch)
const timer = setInterval(() => {
  watch.run(HOLDER!, () => {
    for (const end = performance.now() + 300; performance.now() < end;);
  })
}, 400)
watch.onBlock(({ holder }) => {
  if (holder !== HOLDER) return
  clearInterval(timer)
  process.send!('ready')
})
watch.start()
