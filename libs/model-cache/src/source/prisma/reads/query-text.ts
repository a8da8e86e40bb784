import { anyValue, type Shaped, type ShapedArgs } from './query-shape.js'

/** A query as people write it, without values: `findMany({ where: { teamId: ? }, take: 20 })`. */
export function queryText(action: string, args: ShapedArgs): string {
  return `${action}(${textOf(args)})`
}

function textOf(shape: Shaped): string {
  if (shape === anyValue) return anyValue
  if (Array.isArray(shape)) return `[${shape.map(textOf).join(', ')}]`
  if (typeof shape !== 'object' || shape === null) return sourceOf(shape)
  const members = Object.entries(shape as ShapedArgs).map(([name, value]) =>
    name === anyValue ? '…' : `${name}: ${textOf(value)}`,
  )
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}

/** A value as TypeScript source, in the style of this project. */
export function sourceOf(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${sourceOf(each)}`)
    .join(', ')} }`
}
