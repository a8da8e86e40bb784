/** Creates the inspector, which reads the files of its page, and checks that `model-cache` alone does not load it. */
import 'reflect-metadata'
import { registerHooks } from 'node:module'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
const { ModelCacheModule } = await import('model-cache')
const unexpected = loaded.filter((url) => url.includes('/@model-cache/inspector/'))
if (unexpected.length > 0) throw new Error(`model-cache loads ${unexpected.join(', ')}`)
const { ModelCacheInspectorModule } = await import('@model-cache/inspector')

@Module({
  imports: [ModelCacheModule.forRoot({}), ModelCacheInspectorModule.forRoot({ path: 'admin/cache' })],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] })
await app.close()
