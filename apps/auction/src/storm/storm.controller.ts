import { Body, Controller, HttpCode, Post, StandardSchemaValidationPipe } from '@nestjs/common'
import { StormRequest } from './storm-request.js'
import type { StormResult } from './storm-state.js'
import { StormService } from './storm.service.js'

/** For the demo alone: nobody's production should have a button that keeps it busy. STORMS=off takes it away. */
@Controller('storms')
export class StormController {
  constructor(private readonly storms: StormService) {}

  /** Answers when the storm is over. */
  @Post()
  @HttpCode(200)
  run(
    @Body({ schema: StormRequest, pipes: [new StandardSchemaValidationPipe()] }) request: StormRequest,
  ): Promise<StormResult> {
    return this.storms.run(request)
  }
}
