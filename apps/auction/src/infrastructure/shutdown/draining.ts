import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyAdapter } from '@nestjs/platform-fastify'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'

/**
 * Leaves before the door is locked. A server that closes at once resets the connections whose requests have arrived
 * and are not read yet, and then waits for those that clients keep alive. So for a while it answers everything, tells
 * /readyz that it is leaving, and ends each connection with the answer.
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
