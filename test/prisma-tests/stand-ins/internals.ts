/** The one function that Prisma's tests take of its internals. */
export function assertNever(value: never, message: string): never {
  throw new Error(`${message}: ${String(value)}`)
}
