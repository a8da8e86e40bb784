import type { Logger } from '@nestjs/common'
import { type OperatorLog, shieldLog } from '../protocol/index.js'

/** What the library says to operators, in the log of the application, which names the library before each line. */
export function nestLog(logger: Logger): OperatorLog {
  return shieldLog({
    warn: (message) => logger.warn(unnamed(message)),
    info: (message) => logger.log(unnamed(message)),
  })
}

function unnamed(message: string): string {
  return message.replace(/^ModelCache: (.)/, (_, first: string) => first.toUpperCase())
}
