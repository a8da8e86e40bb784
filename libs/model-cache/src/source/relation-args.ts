import { isPlain } from './plain.js'

type Tree = Readonly<Record<string, unknown>>

/** The filters, orders and limits of the relations of a selection, as text, with the paths of their relations, in alphabetical order. */
export function relationArgsIn(selection: object): readonly string[] {
  const found: string[] = []
  visitRelations(selection as Tree, '', found)
  return found.toSorted()
}

function visitRelations(selection: Tree, path: string, found: string[]): void {
  for (const option of ['select', 'include']) {
    for (const [field, given] of Object.entries((selection[option] ?? {}) as Tree)) {
      if (typeof given !== 'object' || given === null) continue
      const { select, include, omit: _, ...args } = given as Tree
      const at = `${path}${field}`
      if (Object.keys(args).length > 0) found.push(`${at} ${JSON.stringify(sorted(args))}`)
      visitRelations({ select, include }, `${at}.`, found)
    }
  }
}

/** With keys in alphabetical order, and values that JSON does not know as text. */
function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof Date || value instanceof Uint8Array) return JSON.stringify(value)
  // The order of the keys of `orderBy` counts, but each of its objects has one.
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const fields = Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
  // The nulls of Json fields have no properties, and differ by their class.
  return isPlain(value) ? fields : [value.constructor.name, fields]
}
