/** Where a cache says in words what an operator should know: once per kind or per change of state, never per read. */
export interface OperatorLog {
  /** Something is wrong, and what it costs. */
  warn(message: string): void
  /** It is right again. */
  info(message: string): void
}

/** A log that takes part in no read: what it throws ends here. */
export function shieldLog(log: Partial<OperatorLog>): OperatorLog {
  const shield = (tell: (message: string) => void) => (message: string) => {
    try {
      tell(message)
    } catch {
      // There is nobody left to be told.
    }
  }
  return { warn: shield((message) => log.warn?.(message)), info: shield((message) => log.info?.(message)) }
}
