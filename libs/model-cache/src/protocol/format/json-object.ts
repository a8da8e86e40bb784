/**
 * The properties of a JSON text, which anybody may have written; undefined if it is no JSON.
 *
 * @param revive as that of `JSON.parse`
 */
export function jsonObjectIn(
  text: string,
  revive?: Parameters<typeof JSON.parse>[1],
): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text, revive)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** What JSON has to be: what a test says, a list of values of a shape, or an object with properties of these shapes among others. */
export type Shape =
  ((value: unknown) => boolean) | readonly [items: Shape] | { readonly [property: string]: Shape }

/** Whether JSON, which anybody may have written, has a shape. */
export function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'function') return shape(value)
  if (Array.isArray(shape))
    return Array.isArray(value) && value.every((item) => fits(item, shape[0] as Shape))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(([name, of]) => fits((value as Record<string, unknown>)[name], of))
}

export const isText = (value: unknown): value is string => typeof value === 'string'

export const isFlag = (value: unknown): boolean => typeof value === 'boolean'

export function optional(shape: Shape): Shape {
  return (value) => value === undefined || fits(value, shape)
}
