/** Thrown when the application cannot start until you change something. Printed as its message, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
