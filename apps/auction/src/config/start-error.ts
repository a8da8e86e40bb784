/** A start that cannot succeed until somebody changes something; the message says what, and is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
