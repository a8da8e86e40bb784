/** What a field of a Prisma schema says beyond its name and type. */
export interface SchemaField {
  readonly isList: boolean
  readonly isOptional: boolean
  readonly isId: boolean
  /** `'Uuid'` for `@db.Uuid`. */
  readonly nativeType: string | undefined
  readonly relation: SchemaRelation | undefined
}

/** The arguments of `@relation` on the side that has the foreign key. */
export interface SchemaRelation {
  readonly fields: readonly string[]
  readonly references: readonly string[]
  readonly onDelete: string | undefined
  readonly onUpdate: string | undefined
}

export interface SchemaModel {
  readonly primaryKey: readonly string[]
  readonly fields: ReadonlyMap<string, SchemaField>
}

const stringsAndComments = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const models = /^\s*model\s+(\w+)\s*\{([^{}]*)\}/gm
/** `bids AuctionBid[] @relation(…)`; parentheses may span lines. */
const fields = /^[ \t]*(\w+)[ \t]+\w+(\[\]|\?)?((?:\((?:[^()]|\([^()]*\))*\)|[^\n(])*)$/gm

/**
 * Reads of a Prisma schema what the generated client has no other record of: which side of a relation holds the foreign
 * key, the referential actions, and primary keys.
 */
export function parseSchema(schema: string): ReadonlyMap<string, SchemaModel> {
  const text = schema.replaceAll(stringsAndComments, (match) => (match.startsWith('"') ? '""' : ''))
  return new Map([...text.matchAll(models)].map(([, name, body]) => [name!, parseModel(body!)]))
}

function parseModel(body: string): SchemaModel {
  const parsed = new Map(
    [...body.matchAll(fields)].map(([, name, mark, rest]) => [name!, parseField(mark, rest!)]),
  )
  const ids = [...parsed].filter(([, field]) => field.isId).map(([name]) => name)
  const compound = /@@id\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)/.exec(body)?.[1]
  return { primaryKey: compound === undefined ? ids : listIn(compound), fields: parsed }
}

function parseField(mark: string | undefined, rest: string): SchemaField {
  return {
    isList: mark === '[]',
    isOptional: mark === '?',
    isId: /(?<!@)@id\b/.test(rest),
    nativeType: /@\w+\.(\w+)/.exec(rest)?.[1],
    relation: parseRelation(/@relation\s*\(([^()]*)\)/.exec(rest)?.[1]),
  }
}

function parseRelation(text: string | undefined): SchemaRelation | undefined {
  const list = (name: string): readonly string[] =>
    listIn(new RegExp(`\\b${name}\\s*:\\s*(\\[[^\\]]*\\])`).exec(text ?? '')?.[1] ?? '')
  const word = (name: string): string | undefined =>
    new RegExp(`\\b${name}\\s*:\\s*(\\w+)`).exec(text ?? '')?.[1]
  const fields = list('fields')
  if (fields.length === 0) return undefined
  return { fields, references: list('references'), onDelete: word('onDelete'), onUpdate: word('onUpdate') }
}

/** `[a, b(sort: Desc)]` to `['a', 'b']`. */
function listIn(text: string): readonly string[] {
  const list = /\[([^\]]*)\]/.exec(text.replaceAll(/\([^()]*\)/g, ''))?.[1] ?? ''
  return [...list.matchAll(/\w+/g)].map(([name]) => name)
}
