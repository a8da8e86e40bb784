import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Logger } from 'nestjs-pino'
import { AppModule } from './app.module.js'
import type { AppConfig } from './config/app-config.js'
import { BODY_LIMIT } from './infrastructure/graphql/limits.js'

/** The whole application, ready to listen: main.ts and the end-to-end tests start the same one. */
export async function createApp(config: AppConfig): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register(config),
    new FastifyAdapter({ bodyLimit: BODY_LIMIT }),
    // When the start fails, main.ts tells why in one line: without flushing, Nest's stacks stay in the buffer.
    { bufferLogs: true, autoFlushLogs: false, abortOnError: false },
  )
  app.useLogger(app.get(Logger))
  app.flushLogs()
  return app
}
