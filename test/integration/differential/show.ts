/** Values as text that distinguishes whatever a caller could: classes, the order of keys, `undefined` from nothing. */

export interface ShowOptions {
  /** Before this moment dates are data; later ones say when the test ran. */
  readonly now?: number
  /** Puts lists of objects in order, where the database promises none. */
  readonly sorts?: boolean
  /** Puts the keys of objects in order. */
  readonly sortsKeys?: boolean
}

export function show(value: unknown, options: ShowOptions = {}): string {
  const { now = Infinity, sorts = false, sortsKeys = false } = options
  const text = (value: unknown): string => {
    if (typeof value === 'string') return JSON.stringify(value)
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
    if (Array.isArray(value)) {
      const items = value.map(text)
      const isSorted = sorts && value.every((item) => typeof item === 'object' && item !== null)
      return `[${(isSorted ? items.toSorted() : items).join(', ')}]`
    }
    if (value instanceof Date) {
      return value.getTime() >= now
        ? 'Date(now)'
        : `Date(${Number.isNaN(+value) ? 'invalid' : value.toISOString()})`
    }
    const { constructor } = value as { constructor?: { name: string } }
    if (value instanceof Uint8Array) return `${constructor?.name}(${Buffer.from(value).toString('hex')})`
    if (isDecimal(value)) return `Decimal(${value.toFixed()})`
    const entries = Object.entries(value).map(([key, value]) => `${key}: ${text(value)}`)
    if (sortsKeys) entries.sort()
    const name = Object.getPrototypeOf(value) === null ? 'null' : constructor?.name
    return `${name === 'Object' ? '' : name}{ ${entries.join(', ')} }`
  }
  return text(value)
}

/** A value as an expression of JavaScript, to be copied into a test. */
export function asCode(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => asCode(item)).join(', ')}]`
  if (value instanceof Date)
    return Number.isNaN(+value) ? 'new Date(NaN)' : `new Date('${value.toISOString()}')`
  if (value instanceof Uint8Array) return `${value.constructor.name}.from([${[...value].join(', ')}])`
  if (isDecimal(value)) return `new Decimal('${value.toFixed()}')`
  const nameOf = (key: string): string => (/^\w+$/.test(key) ? key : asCode(key))
  const entries = Object.entries(value).map(([key, value]) => `${nameOf(key)}: ${asCode(value)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** A deep copy of arguments, which a client might change. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (value instanceof Date) return new Date(value) as T
  if (value instanceof Uint8Array) {
    return (Buffer.isBuffer(value) ? Buffer.from(value) : new Uint8Array(value)) as T
  }
  return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, copyOf(value)])) as T
}

export function isDecimal(value: object): value is { toFixed(): string } {
  return typeof (value as { toFixed?: unknown }).toFixed === 'function'
}
