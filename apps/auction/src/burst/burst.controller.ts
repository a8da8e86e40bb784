import { Body, Controller, HttpCode, Post, StandardSchemaValidationPipe } from '@nestjs/common'
import { BurstRequest } from './burst-request.js'
import type { BurstResult } from './burst-state.js'
import { BurstService } from './burst.service.js'

/** For the demo only, since a burst blocks the event loop. BURSTS=off disables it. */
@Controller('bursts')
export class BurstController {
  constructor(private readonly bursts: BurstService) {}

  /** Responds when the burst is over. */
  @Post()
  @HttpCode(200)
  run(
    @Body({ schema: BurstRequest, pipes: [new StandardSchemaValidationPipe()] }) request: BurstRequest,
  ): Promise<BurstResult> {
    return this.bursts.run(request)
  }
}
