import type { SchemaFacts } from 'model-cache/advanced'

type Row = Readonly<Record<string, unknown>>
type Model = NonNullable<ReturnType<SchemaFacts['models']['get']>>
type Scalar = NonNullable<ReturnType<Model['scalars']['get']>>

/** Rows of each model. Those that lead to others are more. */
const few = 40
const many = 100
/** Different values of a text that is not unique. */
const texts = 4

/** A small generator of numbers from 0 to 1, the same in every run. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Random rows of all models, whose foreign keys lead to rows. */
export function rowsOf({ models }: SchemaFacts, random: () => number): ReadonlyMap<string, readonly Row[]> {
  return new Map(
    [...models.values()].map((model) => {
      const keys = [...model.uniqueKeys.values(), ...model.nullableKeys.values()]
      const taken = new Set<string>()
      const rows: Row[] = []
      const isNew = (row: Row): boolean => {
        const texts = keys
          .filter((fields) => fields.every((field) => row[field] !== null))
          .map((fields) => JSON.stringify(fields.map((field) => [field, String(row[field])])))
        if (texts.some((text) => taken.has(text))) return false
        for (const text of texts) taken.add(text)
        return true
      }
      for (let n = 0; n < countOf(model); n++) {
        // Not all rows have a parent of their own in a relation of one row.
        for (let tries = 0; tries < 50; tries++) {
          const row = rowOf(model, models, n, random)
          if (!isNew(row)) continue
          rows.push(row)
          break
        }
      }
      return [model.name, rows]
    }),
  )
}

function countOf({ relations }: Model): number {
  return [...relations.values()].some(({ keyHolder }) => keyHolder === 'this') ? many : few
}

function rowOf(model: Model, models: SchemaFacts['models'], n: number, random: () => number): Row {
  const row: Record<string, unknown> = {}
  for (const [field, scalar] of model.scalars)
    row[field] = scalar.isNullable && random() < 0.4 ? null : valueOf(model, field, scalar, n, random)
  for (const { fields, keyHolder, references, target } of model.relations.values()) {
    if (keyHolder !== 'this' || fields.some((field) => row[field] === null)) continue
    const parent = models.get(target)!
    const chosen = Math.floor(random() * countOf(parent) * 0.3)
    for (const [i, field] of fields.entries())
      row[field] = valueOf(parent, references[i]!, parent.scalars.get(references[i]!)!, chosen, random)
  }
  return row
}

function isPartOfKey({ nullableKeys, uniqueKeys }: Model, field: string): boolean {
  return [...uniqueKeys.values(), ...nullableKeys.values()].some((fields) => fields.includes(field))
}

function valueOf(model: Model, field: string, scalar: Scalar, n: number, random: () => number): unknown {
  if (scalar.isList) return [0, 1].map((i) => valueOf(model, field, { ...scalar, isList: false }, n + i, random))
  const isKey = [...model.uniqueKeys.values(), ...model.nullableKeys.values()].some((fields) => fields.join() === field)
  const day = 86_400_000
  switch (scalar.type) {
    case 'String':
      if (scalar.nativeType === 'Uuid') return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
      if (isKey) return `${model.name} ${field} ${n}`
      return `${field} ${Math.floor(random() * (isPartOfKey(model, field) ? few : texts))}`
    case 'Int':
      return isKey ? n + 1 : Math.floor(random() * 20)
    case 'BigInt':
      return BigInt(isKey ? n + 1 : Math.floor(random() * 20))
    case 'Float':
      return Math.floor(random() * 100) / 4
    case 'Boolean':
      return random() < 0.6
    case 'DateTime':
      if (scalar.nativeType === 'Date') return new Date(Date.UTC(2026, 4, 1) + Math.floor(random() * 60) * day)
      if (scalar.nativeType === 'Time') return new Date(Math.floor(random() * 24) * 3_600_000)
      return new Date(Date.UTC(2026, 4, 1) + Math.floor(random() * 60 * day))
    case 'Decimal':
      return (Math.floor(random() * 10_000) / 100).toFixed(2)
    case 'Bytes':
      return new Uint8Array([n])
    case 'Json':
      return { note: `${n}` }
    case 'Enum': {
      const values = [...scalar.databaseValues!.keys()]
      return values[Math.floor(random() * values.length)]
    }
    default:
      throw new Error(`There are no values of the type ${scalar.type}, which ${model.name}.${field} has.`)
  }
}
