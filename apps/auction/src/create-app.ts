import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Logger } from 'nestjs-pino'
import { AppModule } from './app.module.js'
import type { AppConfig } from './config/app-config.js'
import { BODY_LIMIT } from './infrastructure/graphql/limits.js'

/** Creates the application, ready to listen. main.ts and the end-to-end tests share it. */
export async function createApp(config: AppConfig): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register(config),
    new FastifyAdapter({ bodyLimit: BODY_LIMIT }),
    // If the start fails, main.ts prints the reason. The buffer is not flushed, so Nest does not print stacks as well.
    { bufferLogs: true, autoFlushLogs: false, abortOnError: false },
  )
  app.useLogger(app.get(Logger))
  app.flushLogs()
  return app
}
