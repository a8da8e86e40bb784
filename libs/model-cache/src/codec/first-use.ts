/** Functions by name, each created by a call of its maker. */
export type Makers<Functions> = { readonly [Name in keyof Functions]: () => Functions[Name] }

/**
 * Adds functions to an object, each of which is created when it is first called: compiling code takes longer than creating a
 * hundred closures, and many functions of a process are never called. A created function takes its place in the object, so that
 * later calls reach it without a check.
 */
export function createOnFirstUse<Target extends object, Functions extends object>(
  target: Target,
  makers: Makers<Functions>,
): Target & Functions {
  const functions = target as Record<string, unknown>
  for (const [name, make] of Object.entries(makers as Makers<Record<string, AnyFunction>>)) {
    // For callers that hold the first function.
    let created: AnyFunction | undefined
    functions[name] = (...values: unknown[]) => {
      created ??= functions[name] = make()
      return created(...values)
    }
  }
  return target as Target & Functions
}

type AnyFunction = (...values: unknown[]) => unknown

/** Returns a function that calls `make` at its first call only. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
