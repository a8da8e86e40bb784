import type { Logger } from '@nestjs/common'
import type { OperatorLog } from '../protocol/index.js'

/** What the library says to operators, in the log of the application. */
export function nestLog(logger: Logger): OperatorLog {
  return { warn: (message) => logger.warn(message), info: (message) => logger.log(message) }
}
