/** A call that can be delayed. */
export interface Gate {
  /** Resolves when the call begins. */
  readonly reached: Promise<void>
  open(): void
  pass(): Promise<void>
}

/** Delays calls until it is opened. */
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
