import { isPlainObject } from './plain-object.js'

/**
 * Copies a value that need not match a plan: containers, dates and bytes. Instances of other classes, such as decimals, are immutable
 * by contract.
 */
export function copyByValue<T>(value: T): T {
  return copyWith(value, itself) as T
}

/** As {@link copyByValue}. @param copyOther copies instances of other classes */
export function copyWith(value: unknown, copyOther: (value: object) => unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return copyDeep(value, copyOther)
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (let i = 0; i < value.length; i++) items.push(copyWith(value[i], copyOther, depth + 1))
    return items
  }
  if (isPlainObject(value)) {
    // The engine copies all fields at once, which is several times as fast as one by one.
    const copy: Record<string, unknown> = { ...value }
    for (const name in copy) {
      const field = copy[name]
      if (typeof field === 'object') copy[name] = copyWith(field, copyOther, depth + 1)
    }
    return copy
  }
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  return copyOther(value)
}

/** Levels that are copied by calls: databases store JSON of as many levels as overflow the stack. */
const maxDepth = 500

/** Copies a value of any depth, more slowly. */
function copyDeep(value: object, copyOther: (value: object) => unknown): unknown {
  const top: Record<string, unknown> = { value }
  const open = [top]
  for (let container = open.pop(); container; container = open.pop()) {
    for (const name of Object.keys(container)) {
      const field = container[name]
      if (Array.isArray(field) || isPlainObject(field)) {
        const copy = (Array.isArray(field) ? [...(field as unknown[])] : { ...field }) as typeof top
        container[name] = copy
        open.push(copy)
      } else container[name] = copyWith(field, copyOther)
    }
  }
  return top.value
}

const itself = (value: object): unknown => value
