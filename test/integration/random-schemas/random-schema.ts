/**
 * Small schemas at random, with relations and keys of every kind, columns that the database or a trigger sets, and views. All fields are
 * integers, so that they fit everywhere.
 */
import type { Random } from '../differential/random.ts'
import type { Action, Dialect, Trigger } from './dialects.ts'

export interface Schema {
  /** As Prisma reads it, for `createClientOfText`. */
  readonly text: string
  /** SQL that creates the tables. */
  readonly tables: string
  readonly dialect: Dialect
  /** Rows have values up to this one: with few, those of two rows often meet in a third. */
  readonly most: number
  /** Whether a role of less rights writes, which `tables` has created. */
  readonly isRestricted: boolean
  /** Whether the database shows all that a write does in its result: there are no views, no triggers, no limits of rights. */
  readonly isPlain: boolean
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
  /** The model of the table that is shown, if this is one of a view. */
  readonly viewOf?: Model
}

interface Field {
  readonly column: string
  readonly isNullable: boolean
  readonly default: string | undefined
  /** What sets it whenever its row is written: nobody else does. */
  readonly setBy?: 'database' | 'trigger'
}

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

export function randomSchema(random: Random, dialect: Dialect): Schema {
  const cascades = random.chance(40)
  const isRelatedByPrisma = random.chance(12)
  const actions = dialect.actions.filter((action) => !isRelatedByPrisma || action !== 'SetDefault')
  const count = 2 + random.below(random.chance(60) ? 2 : 4)
  const models = names.slice(0, count).map((name) => randomModel(random, name))
  const joinTables: JoinTable[] = []
  const relations = count + random.below(count + 2)
  for (let number = 1; number <= relations; number++) {
    let [one, other] = [random.pick(models), random.pick(models)]
    // Prisma does not end where its own referential actions lead in a circle.
    if (isRelatedByPrisma) {
      if (one === other) continue
      if (one.name < other.name) [one, other] = [other, one]
    }
    const areSimple = [one, other].every(({ keys: [key] }) => key!.length === 1)
    if (areSimple && !isRelatedByPrisma && random.chance(20))
      joinTables.push(relateByTable(number, one, other))
    else relate(random, number, one, other, { actions, cascades, followsNulls: dialect.followsNulls })
  }
  const triggers = random.some(models, 8).map((model) => randomTrigger(random, dialect, model))
  const views = dialect.writesViews ? random.some(models, 6).map(viewOf) : []
  const isRestricted = dialect.hasRoles && random.chance(15)
  const sql = new Tables(dialect, isRelatedByPrisma)
  const tables = [
    ...models.map((model) => sql.table(model)),
    ...models.flatMap((model) => sql.foreignKeys(model)),
    ...joinTables.map((table) => sql.joinTable(table)),
    ...triggers.map((trigger) => dialect.setting(trigger)),
    ...views.map((view) => sql.view(view)),
    ...(isRestricted ? [restrictedRole, ...models.map((model) => randomRights(random, model))] : []),
  ].join('\n')
  const all = [...models, ...views]
  const mode = isRelatedByPrisma ? '\n  relationMode = "prisma"' : ''
  const text = `datasource db {\n  provider = "${dialect.provider}"${mode}\n}\n${all.map(textOf).join('\n')}\n`
  const isPlain = !isRestricted && triggers.length === 0 && views.length === 0
  return {
    text,
    tables,
    dialect,
    isPlain,
    most: random.chance(25) ? 2 : 6,
    isRestricted,
    models: all,
    joinTables,
  }
}

function viewOf(model: Model): Model {
  const view = `${model.name}Seen`
  return { ...model, name: view, table: view, relations: [], viewOf: model }
}

function randomTrigger(random: Random, { mutesTriggers, quote }: Dialect, model: Model): Trigger {
  const others = [...model.fields.keys()].filter((field) => field !== 'n' && !model.keys[0]!.includes(field))
  const isOwn = others.length === 0 || !mutesTriggers || random.chance(60)
  const field = isOwn ? 't' : random.pick(others)
  if (isOwn) model.fields.set('t', { column: 't', isNullable: true, default: undefined, setBy: 'trigger' })
  const column = (name: string): string => quote(model.fields.get(name)!.column)
  return {
    name: `set_${model.name.toLowerCase()}`,
    table: quote(model.table),
    column: column(field),
    source: column('n'),
    key: model.keys[0]!.map(column),
    time: random.pick([
      'before',
      'before',
      'after',
      'instead of update',
      'instead of delete',
      'after delete',
    ]),
  }
}

/** The role may do nothing yet. */
const restrictedRole = `DO $$ BEGIN CREATE ROLE restricted; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT USAGE ON SCHEMA public TO restricted; GRANT ALL ON ALL TABLES IN SCHEMA public TO restricted;`

/** Takes rights of the role away, or rows by row-level security. */
function randomRights(random: Random, { fields, table }: Model): string {
  const [name, n] = [`"${table}"`, `"${fields.get('n')!.column}"`]
  return random.oneOf(
    () => '',
    () => '',
    () => `REVOKE SELECT ON ${name} FROM restricted;`,
    () => `REVOKE UPDATE ON ${name} FROM restricted;`,
    () => `REVOKE SELECT ON ${name} FROM restricted; GRANT SELECT (${n}) ON ${name} TO restricted;`,
    () => `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON ${name} USING (${n} < 4);`,
    () =>
      `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; CREATE POLICY seen ON ${name} FOR SELECT USING (${n} < 3); CREATE POLICY own ON ${name} FOR ALL USING (true);`,
  )
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
  if (random.chance(15)) {
    fields.set('g', { column: 'g', isNullable: true, default: undefined, setBy: 'database' })
    if (random.chance(30)) keys.push(['g'])
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

interface RelationOptions {
  readonly actions: readonly Action[]
  readonly cascades: boolean
  readonly followsNulls: boolean
}

function relate(
  random: Random,
  number: number,
  child: Model,
  parent: Model,
  { actions: possible, cascades, followsNulls }: RelationOptions,
): void {
  const references = random.chance(75) ? parent.keys[0]! : random.pick(parent.keys)
  const isWanted = random.chance(60)
  const taken = new Set(child.keys[0])
  const fields = references.map((_, index) => {
    const shared = [...child.fields.keys()].filter((field) => !['n', 'id', 'g'].includes(field))
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
  const actions = [...possible]
  if (areNullable) actions.push('SetNull', 'SetNull')
  const onDelete = random.chance(cascades ? 75 : 30) ? 'Cascade' : random.pick(actions)
  const wanted = random.chance(cascades ? 75 : 40) ? 'Cascade' : random.pick(actions)
  const isRefused =
    !followsNulls &&
    references.some(
      (name, index) => parent.fields.get(name)!.isNullable && !child.fields.get(fields[index]!)!.isNullable,
    )
  const onUpdate = wanted === 'Cascade' && isRefused ? 'Restrict' : wanted
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

function textOf({ fields, keys, name, relations, table }: Model): string {
  const scalars = [...fields].map(([field, { column, default: value, isNullable }]) => {
    const marks = [column !== field && `@map("${column}")`, value && `@default(${value})`]
    return `  ${[field, isNullable ? 'Int?' : 'Int', ...marks.filter(Boolean)].join(' ')}`
  })
  const relationLines = relations.map((one) => {
    const { field, holder, isList, isOptional, target } = one
    const type = `${target.name}${isList ? '[]' : isOptional ? '?' : ''}`
    const key =
      holder === 'this'
        ? `, fields: [${one.fields.join(', ')}], references: [${one.references.join(', ')}], onDelete: ${one.onDelete}, onUpdate: ${one.onUpdate}`
        : ''
    return `  ${field} ${type} @relation("${one.name}"${key})`
  })
  const [primary, ...unique] = keys
  const attributes = [
    `  @@id([${primary!.join(', ')}])`,
    ...unique.map((key) => `  @@unique([${key.join(', ')}])`),
    ...(table === name ? [] : [`  @@map("${table}")`]),
  ]
  return `model ${name} {\n${[...scalars, ...relationLines, ...attributes].join('\n')}\n}`
}

const actionsInSql: Record<Action, string> = {
  Cascade: 'CASCADE',
  SetNull: 'SET NULL',
  SetDefault: 'SET DEFAULT',
  Restrict: 'RESTRICT',
  NoAction: 'NO ACTION',
}

/** Statements that create the tables of a schema. */
class Tables {
  readonly #dialect: Dialect
  readonly #hasForeignKeys: boolean

  constructor(dialect: Dialect, isRelatedByPrisma: boolean) {
    this.#dialect = dialect
    this.#hasForeignKeys = !isRelatedByPrisma
  }

  table(model: Model): string {
    const { generatedKey, provider, quote } = this.#dialect
    const isGenerated = [...model.fields.values()].some((field) => field.default === 'autoincrement()')
    const columns = [...model.fields.values()].map(({ column, default: value, isNullable, setBy }) => {
      const name = quote(column)
      if (value === 'autoincrement()') return generatedKey(name)
      if (setBy === 'database')
        return `${name} int GENERATED ALWAYS AS (${this.#columnsOf(model, ['n'])} + 1) STORED`
      return `${name} int${isNullable ? '' : ' NOT NULL'}${value ? ` DEFAULT ${value}` : ''}`
    })
    const keys = model.keys
      .map((key, index) => `${index === 0 ? 'PRIMARY KEY' : 'UNIQUE'} (${this.#columnsOf(model, key)})`)
      .slice(isGenerated ? 1 : 0)
    // SQLite adds no foreign keys to a table.
    const foreign = provider === 'sqlite' ? this.#foreignKeysOf(model) : []
    return `CREATE TABLE ${quote(model.table)} (${[...columns, ...keys, ...foreign].join(', ')});`
  }

  foreignKeys(model: Model): readonly string[] {
    const { provider, quote } = this.#dialect
    const keys = provider === 'sqlite' ? [] : this.#foreignKeysOf(model)
    return keys.map((key) => `ALTER TABLE ${quote(model.table)} ADD ${key};`)
  }

  #foreignKeysOf(model: Model): readonly string[] {
    if (!this.#hasForeignKeys) return []
    return model.relations
      .filter(({ holder }) => holder === 'this')
      .map(
        ({ fields, onDelete, onUpdate, references, target }) =>
          `FOREIGN KEY (${this.#columnsOf(model, fields)}) REFERENCES ${this.#dialect.quote(target.table)} (${this.#columnsOf(target, references)}) ON DELETE ${actionsInSql[onDelete]} ON UPDATE ${actionsInSql[onUpdate]}`,
      )
  }

  joinTable({ a, b, table }: JoinTable): string {
    const { quote } = this.#dialect
    const [A, B] = [quote('A'), quote('B')]
    const key = (name: string, { model }: JoinTable['a']): string =>
      `FOREIGN KEY (${name}) REFERENCES ${quote(model.table)} (${this.#columnsOf(model, model.keys[0]!)}) ON DELETE CASCADE ON UPDATE CASCADE`
    return `CREATE TABLE ${quote(table)} (${A} int NOT NULL, ${B} int NOT NULL, PRIMARY KEY (${A}, ${B}), ${key(A, a)}, ${key(B, b)});`
  }

  view(view: Model): string {
    const { quote } = this.#dialect
    return `CREATE VIEW ${quote(view.table)} AS SELECT * FROM ${quote(view.viewOf!.table)};`
  }

  #columnsOf(model: Model, names: readonly string[]): string {
    return columnsOf(this.#dialect, model, names)
  }
}

export function columnsOf({ quote }: Dialect, { fields }: Model, names: readonly string[]): string {
  return names.map((name) => quote(fields.get(name)!.column)).join(', ')
}
