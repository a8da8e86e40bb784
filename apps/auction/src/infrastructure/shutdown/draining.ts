import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyAdapter } from '@nestjs/platform-fastify'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'

/**
 * Drains connections before the server closes. A server that closes at once resets connections with unread requests,
 * then waits for idle keep-alive connections. So for `drainMs` it answers every request with `connection: close`, and
 * /readyz fails.
 */
@Injectable()
export class Draining implements BeforeApplicationShutdown {
  #hasBegun = false

  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    { httpAdapter }: HttpAdapterHost<FastifyAdapter>,
  ) {
    httpAdapter.getInstance().addHook('onSend', async (_request, reply) => {
      if (this.#hasBegun) void reply.header('connection', 'close')
    })
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#hasBegun = true
    await delay(this.config.drainMs)
  }
}
