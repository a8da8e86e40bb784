import { Controller, Get, Header } from '@nestjs/common'
import { register } from 'prom-client'

@Controller('metrics')
export class MetricsController {
  @Get()
  @Header('content-type', 'text/plain')
  metrics() {
    return register.metrics()
  }
}
