import { isPlainObject } from './plain-object.js'

/**
 * Copies a value that need not match a plan: containers, dates and bytes. Instances of other classes, such as decimals, are immutable
 * by contract.
 */
export function copyByValue<T>(value: T): T {
  return copyWith(value, itself) as T
}

type CopyOther = (value: object) => unknown

/** As {@link copyByValue}. @param copyOther copies instances of other classes */
export function copyWith(value: unknown, copyOther: CopyOther): unknown {
  try {
    return copyByCalls(value, copyOther, 0)
  } catch (error) {
    if (error !== tooDeep) throw error
    return copyDeep(value, copyOther)
  }
}

function copyByCalls(value: unknown, copyOther: CopyOther, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    if (depth === maxDepth) throw tooDeep
    const items: unknown[] = []
    for (let i = 0; i < value.length; i++) items.push(copyByCalls(value[i], copyOther, depth + 1))
    return items
  }
  if (isPlainObject(value)) {
    if (depth === maxDepth) throw tooDeep
    // The engine copies all fields at once, which is several times as fast as one by one.
    const copy: Record<string, unknown> = { ...value }
    for (const name in copy) {
      const field = copy[name]
      if (typeof field === 'object') copy[name] = copyByCalls(field, copyOther, depth + 1)
    }
    return copy
  }
  return copyOfClass(value, copyOther)
}

/** Levels that are copied by calls: JSON of a database may have as many as overflow the stack, and rows may lead back to themselves. */
const maxDepth = 500
const tooDeep = new RangeError('too deep to be copied by calls')

/** Copies a value of any depth, more slowly. What it holds several times, the copy does as well. */
function copyDeep(value: unknown, copyOther: CopyOther): unknown {
  const copies = new Map<object, object>()
  const open: Record<string, unknown>[] = []
  const copyOf = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one
    if (!Array.isArray(one) && !isPlainObject(one)) return copyOfClass(one, copyOther)
    let copy = copies.get(one)
    if (!copy) {
      copy = Array.isArray(one) ? [...(one as unknown[])] : { ...one }
      copies.set(one, copy)
      open.push(copy as Record<string, unknown>)
    }
    return copy
  }
  const top = copyOf(value)
  for (let container = open.pop(); container; container = open.pop())
    for (const name of Object.keys(container)) container[name] = copyOf(container[name])
  return top
}

function copyOfClass(value: object, copyOther: CopyOther): unknown {
  if (value instanceof Date) return new Date(value)
  return value instanceof Uint8Array ? Uint8Array.from(value) : copyOther(value)
}

const itself = (value: object): unknown => value
