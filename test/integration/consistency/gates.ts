/** A call that can be held up. */
export interface Gate {
  /** Resolves when somebody calls. */
  readonly reached: Promise<void>
  open(): void
  pass(): Promise<void>
}

/** Holds up who passes until it is opened. */
export function newGate(): Gate {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    open: opened.resolve,
    pass: () => {
      reached.resolve()
      return opened.promise
    },
  }
}
