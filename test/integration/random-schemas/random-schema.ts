/** Small schemas for PostgreSQL at random, with relations and keys of every kind. All fields are integers, so that they fit everywhere. */
import type { Random } from '../differential/random.ts'

export interface Schema {
  /** As Prisma reads it, for `createClientOfText`. */
  readonly text: string
  /** SQL that creates the tables. */
  readonly tables: string
  readonly models: readonly Model[]
  readonly joinTables: readonly JoinTable[]
}

export interface Model {
  readonly name: string
  readonly table: string
  /** The primary key, then other unique keys. */
  readonly keys: string[][]
  readonly fields: Map<string, Field>
  readonly relations: Relation[]
}

interface Field {
  readonly column: string
  readonly isNullable: boolean
  readonly default: string | undefined
}

type Action = 'Cascade' | 'SetNull' | 'SetDefault' | 'Restrict' | 'NoAction'

/** One side of a relation. */
export interface Relation {
  readonly field: string
  readonly name: string
  readonly target: Model
  readonly targetField: string
  readonly isList: boolean
  readonly isOptional: boolean
  readonly holder: 'this' | 'target' | 'join-table'
  /** The foreign key of the side that holds it. */
  readonly fields: readonly string[]
  readonly references: readonly string[]
  readonly onDelete: Action
  readonly onUpdate: Action
}

/** Of an implicit many-to-many relation: columns `A` and `B`. */
export interface JoinTable {
  readonly table: string
  readonly a: { readonly model: Model; readonly field: string }
  readonly b: { readonly model: Model; readonly field: string }
}

const names = ['Ant', 'Bee', 'Cat', 'Dog', 'Elk']

export function randomSchema(random: Random): Schema {
  const cascades = random.chance(40)
  const count = 2 + random.below(random.chance(60) ? 2 : 4)
  const models = names.slice(0, count).map((name) => randomModel(random, name))
  const joinTables: JoinTable[] = []
  const relations = count + random.below(count + 2)
  for (let number = 1; number <= relations; number++) {
    const [one, other] = [random.pick(models), random.pick(models)]
    const areSimple = [one, other].every(({ keys: [key] }) => key!.length === 1)
    if (areSimple && random.chance(20)) joinTables.push(relateByTable(number, one, other))
    else relate(random, number, one, other, cascades)
  }
  return { text: textOf(models), tables: tablesOf(models, joinTables), models, joinTables }
}

function randomModel(random: Random, name: string): Model {
  const fields = new Map<string, Field>()
  const add = (field: string, isNullable = false, value?: string): void => {
    const column = random.chance(15) ? `${field}_col` : field
    fields.set(field, { column, isNullable, default: value })
  }
  const keys: string[][] = []
  if (random.chance(25)) {
    for (const field of ['a', 'b']) add(field)
    keys.push(['a', 'b'])
  } else {
    add('id', false, random.chance(25) ? 'autoincrement()' : undefined)
    keys.push(['id'])
  }
  add('n', false, '0')
  if (random.chance(40)) {
    add('code', random.chance(50))
    keys.push(['code'])
  }
  if (random.chance(20)) {
    add('x', random.chance(30))
    add('y')
    keys.push(['x', 'y'])
  }
  return { name, table: random.chance(15) ? `${name.toLowerCase()}s` : name, keys, fields, relations: [] }
}

function relateByTable(number: number, one: Model, other: Model): JoinTable {
  const name = `r${number}`
  const [field, targetField] = [`m${number}`, `w${number}`]
  const common = {
    name,
    isList: true,
    isOptional: false,
    holder: 'join-table',
    fields: [],
    references: [],
    onDelete: 'Cascade',
    onUpdate: 'Cascade',
  } as const
  one.relations.push({ ...common, field, target: other, targetField })
  other.relations.push({ ...common, field: targetField, target: one, targetField: field })
  // Prisma orders the columns by the names of the models, or those of the fields.
  const sides = [
    { model: one, field },
    { model: other, field: targetField },
  ].toSorted((left, right) =>
    `${left.model.name} ${left.field}` < `${right.model.name} ${right.field}` ? -1 : 1,
  )
  return { table: `_${name}`, a: sides[0]!, b: sides[1]! }
}

function relate(random: Random, number: number, child: Model, parent: Model, cascades: boolean): void {
  const references = random.chance(75) ? parent.keys[0]! : random.pick(parent.keys)
  const isWanted = random.chance(60)
  const taken = new Set(child.keys[0])
  const fields = references.map((_, index) => {
    const shared = [...child.fields.keys()].filter((field) => field !== 'n' && field !== 'id')
    if (shared.length > 0 && random.chance(references.length > 1 ? 35 : 12)) {
      const field = random.pick(shared)
      if (!taken.has(field) || random.chance(60)) return field
    }
    const field = `f${number}${index === 0 ? '' : 'abc'[index]}`
    // Those of other fields decide together whether there is a row at the other side.
    const value = random.chance(20) ? String(1 + random.below(3)) : undefined
    child.fields.set(field, {
      column: random.chance(15) ? `${field}_col` : field,
      isNullable: isWanted,
      default: value,
    })
    return field
  })
  if (new Set(fields).size < fields.length) return
  const isNullable = fields.some((field) => child.fields.get(field)!.isNullable)
  const areNullable = fields.every((field) => child.fields.get(field)!.isNullable)
  const isOptional = isNullable
  const isKey = child.keys.some((key) => key.every((field) => fields.includes(field)))
  const isOneToOne = isKey || random.chance(25)
  if (isOneToOne && !child.keys.some((key) => key.join() === fields.join())) child.keys.push(fields)
  const actions: Action[] = ['Cascade', 'Cascade', 'Restrict', 'NoAction', 'SetDefault']
  if (areNullable) actions.push('SetNull', 'SetNull')
  const onDelete = random.chance(cascades ? 75 : 30) ? 'Cascade' : random.pick(actions)
  const onUpdate = random.chance(cascades ? 75 : 40) ? 'Cascade' : random.pick(actions)
  const common = { name: `r${number}`, fields, references, onDelete, onUpdate }
  const [field, targetField] = [`p${number}`, `c${number}`]
  child.relations.push({
    ...common,
    field,
    target: parent,
    targetField,
    isList: false,
    isOptional,
    holder: 'this',
  })
  parent.relations.push({
    ...common,
    field: targetField,
    target: child,
    targetField: field,
    isList: !isOneToOne,
    isOptional: true,
    holder: 'target',
  })
}

function textOf(models: readonly Model[]): string {
  const blocks = models.map(({ fields, keys, name, relations, table }) => {
    const scalars = [...fields].map(([field, { column, default: value, isNullable }]) => {
      const marks = [column !== field && `@map("${column}")`, value && `@default(${value})`]
      return `  ${[field, isNullable ? 'Int?' : 'Int', ...marks.filter(Boolean)].join(' ')}`
    })
    const relationLines = relations.map((one) => {
      const { field, holder, isList, isOptional, name, target } = one
      const type = `${target.name}${isList ? '[]' : isOptional ? '?' : ''}`
      const key =
        holder === 'this'
          ? `, fields: [${one.fields.join(', ')}], references: [${one.references.join(', ')}], onDelete: ${one.onDelete}, onUpdate: ${one.onUpdate}`
          : ''
      return `  ${field} ${type} @relation("${name}"${key})`
    })
    const [primary, ...unique] = keys
    const attributes = [
      `  @@id([${primary!.join(', ')}])`,
      ...unique.map((key) => `  @@unique([${key.join(', ')}])`),
      ...(table === name ? [] : [`  @@map("${table}")`]),
    ]
    return `model ${name} {\n${[...scalars, ...relationLines, ...attributes].join('\n')}\n}`
  })
  return `datasource db {\n  provider = "postgresql"\n}\n${blocks.join('\n')}\n`
}

const actionsInSql: Record<Action, string> = {
  Cascade: 'CASCADE',
  SetNull: 'SET NULL',
  SetDefault: 'SET DEFAULT',
  Restrict: 'RESTRICT',
  NoAction: 'NO ACTION',
}

function tablesOf(models: readonly Model[], joinTables: readonly JoinTable[]): string {
  const created = models.map((model) => {
    const columns = [...model.fields].map(([, { column, default: value, isNullable }]) => {
      if (value === 'autoincrement()') return `"${column}" int GENERATED BY DEFAULT AS IDENTITY (START 100)`
      return `"${column}" int${isNullable ? '' : ' NOT NULL'}${value ? ` DEFAULT ${value}` : ''}`
    })
    const keys = model.keys.map(
      (key, index) => `${index === 0 ? 'PRIMARY KEY' : 'UNIQUE'} (${columnsOf(model, key)})`,
    )
    return `CREATE TABLE "${model.table}" (${[...columns, ...keys].join(', ')});`
  })
  const foreign = models.flatMap((model) =>
    model.relations
      .filter(({ holder }) => holder === 'this')
      .map(
        ({ fields, onDelete, onUpdate, references, target }) =>
          `ALTER TABLE "${model.table}" ADD FOREIGN KEY (${columnsOf(model, fields)}) REFERENCES "${target.table}" (${columnsOf(target, references)}) ON DELETE ${actionsInSql[onDelete]} ON UPDATE ${actionsInSql[onUpdate]};`,
      ),
  )
  const joined = joinTables.map(({ a, b, table }) => {
    const column = (name: string, { table, keys, fields }: Model): string =>
      `"${name}" int NOT NULL REFERENCES "${table}" ("${fields.get(keys[0]![0]!)!.column}") ON DELETE CASCADE ON UPDATE CASCADE`
    return `CREATE TABLE "${table}" (${column('A', a.model)}, ${column('B', b.model)}, PRIMARY KEY ("A", "B"));`
  })
  return [...created, ...foreign, ...joined].join('\n')
}

export function columnsOf({ fields }: Model, names: readonly string[]): string {
  return names.map((name) => `"${fields.get(name)!.column}"`).join(', ')
}
