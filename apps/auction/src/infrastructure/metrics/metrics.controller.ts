import { Controller, Get, Inject, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { register } from 'prom-client'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'

/** Serves the metrics for Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(APP_CONFIG) private readonly config: AppConfig) {}

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const registry = this.config.metrics ?? register
    void reply.type(registry.contentType)
    return registry.metrics()
  }
}
