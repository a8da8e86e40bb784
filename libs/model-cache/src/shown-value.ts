/** Describes the type of a value in a row, without the value itself. */
export function typeOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `a string of ${value.length} characters`
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? 'a number' : showValue(value)
    case 'bigint':
    case 'boolean':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    default:
      return value instanceof Date && !Number.isNaN(value.getTime()) ? 'a Date' : showValue(value)
  }
}

/** Describes a value in one short line: types and short scalars, no contents of objects. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > 60
        ? `${JSON.stringify(value.slice(0, 60))}… (${value.length} characters)`
        : JSON.stringify(value)
    case 'bigint':
      return `${value}n`
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return `an array of ${value.length}`
      if (value instanceof Date)
        return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
      return `an object (${value.constructor?.name || 'null prototype'})`
    case 'symbol':
      return value.description ?? 'a symbol'
    case 'function':
      return `a function${value.name ? ` (${value.name})` : ''}`
    default:
      return Object.is(value, -0) ? '-0' : String(value)
  }
}
