/** What scripts/publish/check-package.ts bundles into one file, and runs where there are no packages: the inspector must have its page. */
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ModelCacheModule } from 'model-cache'
import { inspectorPageFiles, ModelCacheInspectorModule } from '@model-cache/inspector'

@Module({ imports: [ModelCacheModule.forRoot({}), ModelCacheInspectorModule.forRoot({})] })
class AppModule {}

async function start(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] })
  if (!inspectorPageFiles.has('main.js')) throw new Error('the inspector has no page')
  // The bundler renames classes; logs of Nest have these.
  for (const [name, { name: found }] of Object.entries({ ModelCacheModule, ModelCacheInspectorModule })) {
    if (found !== name) throw new Error(`the class ${name} is called ${found}`)
  }
  await app.close()
}

void start()
