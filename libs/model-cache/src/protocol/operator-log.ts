import { notify } from '@model-cache/event-loop/internal'

/** The log for operators: once per kind of message or per change of state, never per read. */
export interface OperatorLog {
  /** Receives what is wrong and what it costs. */
  warn(message: string): void
  /** Receives that it is over. */
  info(message: string): void
}

/** The reason in an error, for a log. Prisma begins its messages with the place of the call. */
export function reasonIn(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trimEnd().split('\n').at(-1)!
}

/** Wraps a log so that its errors never reach a read or a write. */
export function shieldLog(log: Partial<OperatorLog>): OperatorLog {
  return {
    warn: (message) => notify([() => log.warn?.(message)]),
    info: (message) => notify([() => log.info?.(message)]),
  }
}
