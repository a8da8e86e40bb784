/** Counts what has failed, and keeps the first error. */
export class Errors {
  errors = 0
  firstError: string | undefined

  note(error: unknown): void {
    this.errors++
    this.firstError ??= String(error)
  }

  /** As plain JSON. */
  counts(): { readonly errors: number; readonly firstError?: string } {
    const { errors, firstError } = this
    return { errors, ...(firstError !== undefined && { firstError }) }
  }
}
