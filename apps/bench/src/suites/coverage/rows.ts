import type { SchemaFacts } from 'model-cache/advanced'
import type { Random } from '#prisma/demo/random.js'

export type Row = Readonly<Record<string, unknown>>
type Model = NonNullable<ReturnType<SchemaFacts['models']['get']>>
type Scalar = NonNullable<ReturnType<Model['scalars']['get']>>

/** Rows of each model. Those that lead to others are more. */
const few = 40
const many = 100
/** Different values of a text that is not unique. */
const texts = 4

/** Random rows of all models, whose foreign keys lead to rows. */
export function rowsOf({ models }: SchemaFacts, random: Random): ReadonlyMap<string, readonly Row[]> {
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

function rowOf(model: Model, models: SchemaFacts['models'], n: number, random: Random): Row {
  const row: Record<string, unknown> = {}
  for (const [field, scalar] of model.scalars)
    row[field] = scalar.isNullable && random.chance(0.4) ? null : valueOf(model, field, scalar, n, random)
  for (const { fields, keyHolder, references, target } of model.relations.values()) {
    if (keyHolder !== 'this' || fields.some((field) => row[field] === null)) continue
    const parent = models.get(target)!
    const chosen = random.integer(0, countOf(parent) * 0.3 - 1)
    for (const [i, field] of fields.entries())
      row[field] = valueOf(parent, references[i]!, parent.scalars.get(references[i]!)!, chosen, random)
  }
  return row
}

function valueOf(model: Model, field: string, scalar: Scalar, n: number, random: Random): unknown {
  if (scalar.isList)
    return [0, 1].map((i) => valueOf(model, field, { ...scalar, isList: false }, n + i, random))
  const keys = [...model.uniqueKeys.values(), ...model.nullableKeys.values()]
  const isKey = keys.some((fields) => fields.join() === field)
  const day = 86_400_000
  switch (scalar.type) {
    case 'String':
      if (scalar.nativeType === 'Uuid') return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
      if (isKey) return `${model.name} ${field} ${n}`
      return `${field} ${random.integer(1, keys.some((fields) => fields.includes(field)) ? few : texts)}`
    case 'Int':
      return isKey ? n + 1 : random.integer(0, 19)
    case 'BigInt':
      return BigInt(isKey ? n + 1 : random.integer(0, 19))
    case 'Float':
      return random.integer(0, 99) / 4
    case 'Boolean':
      return random.chance(0.6)
    case 'DateTime':
      if (scalar.nativeType === 'Date') return new Date(Date.UTC(2026, 4, 1) + random.integer(0, 59) * day)
      if (scalar.nativeType === 'Time') return new Date(random.integer(0, 23) * 3_600_000)
      return new Date(Date.UTC(2026, 4, 1) + random.integer(0, 60 * day - 1))
    case 'Decimal':
      return (random.integer(0, 9_999) / 100).toFixed(2)
    case 'Bytes':
      return new Uint8Array([n])
    case 'Json':
      return { note: `${n}` }
    case 'Enum':
      return random.pick([...scalar.databaseValues!.keys()])
    default:
      throw new Error(`There are no values of the type ${scalar.type}, which ${model.name}.${field} has.`)
  }
}
