/** An application without caches. It must start although the packages that only caches need cannot be loaded. */
import 'reflect-metadata'
import { registerHooks } from 'node:module'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

registerHooks({
  resolve(specifier, context, next) {
    if (/^(ioredis|arktype|@prisma\/|lru-cache)/.test(specifier)) {
      throw new Error(`@model-cache/event-loop loads ${specifier}`)
    }
    return next(specifier, context)
  },
})
const { EventLoopModule, EventLoopPressure } = await import('@model-cache/event-loop')

@Module({ imports: [EventLoopModule.forRoot()] })
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] })
const pressure = app.get(EventLoopPressure).value
if (!(pressure >= 0 && pressure <= 1)) throw new Error(`the pressure is ${pressure}`)
await app.close()
