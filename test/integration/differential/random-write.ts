/** Writes of every form, as data: the same write runs on two databases, and again while it is made smaller. */
import { type Manner, manners } from './manners.ts'
import type { Dialect } from './dialects/dialects.ts'
import type { Field, Model, Relation } from './models.ts'
import type { Random } from './random.ts'

export type Args = Record<string, unknown>

export interface Query {
  readonly form: 'query'
  readonly model: string
  readonly operation: string
  readonly args: Args
  /** What is unusual about how the arguments are given. */
  readonly manner?: Manner
  /** Whether it is the first that a client sends. */
  readonly isFirst?: boolean
}

export interface Together {
  readonly form: 'batch' | 'transaction'
  readonly queries: readonly Query[]
  /** Of a transaction with a callback: whether that throws in the end. */
  readonly isAbandoned: boolean
  readonly isFirst?: boolean
}

export type Write = Query | Together

/**
 * Rows of the database as it is, by model. By relation field, as `Post.labels`, the rows of its join table: the row that has the field, and
 * the key of the one at the other side, `{ row: { id: 1n }, key: { name: 'l1' } }`.
 */
export type Snapshot = ReadonlyMap<string, readonly Args[]>

/** How an object of `data` names other rows: by its foreign keys, or through its relations. */
type Style = 'keys' | 'relations'

/** Queries of a transaction may be read later, and more than once. */
const lastingManners = manners.filter((manner) => manner !== 'fickle')

const operations = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
]

export class WriteGenerator {
  readonly #random: Random
  readonly #snapshot: () => Snapshot
  readonly #dialect: Dialect
  readonly #operations: readonly string[]

  constructor(random: Random, snapshot: () => Snapshot, dialect: Dialect) {
    this.#random = random
    this.#snapshot = snapshot
    this.#dialect = dialect
    const { returnsMany } = dialect.kind
    this.#operations = operations.filter((name) => returnsMany || !name.endsWith('ManyAndReturn'))
  }

  write(): Write {
    const write = this.#write()
    const isChanged = queriesOf(write).some(({ manner }) => manner === 'changed')
    return this.#random.chance(isChanged ? 50 : 2) ? { ...write, isFirst: true } : write
  }

  #write(): Write {
    const random = this.#random
    if (random.chance(75)) return this.#given(this.#query(random.chance(2)), manners)
    const queries = Array.from({ length: 1 + random.below(3) }, () =>
      this.#given(this.#query(false), lastingManners),
    )
    const form = random.chance(50) ? 'batch' : 'transaction'
    return { form, queries, isAbandoned: form === 'transaction' && random.chance(15) }
  }

  #given(query: Query, choices: readonly Manner[]): Query {
    const random = this.#random
    return random.chance(25) ? { ...query, manner: random.pick(choices) } : query
  }

  #query(onView: boolean): Query {
    const random = this.#random
    if (onView) {
      const args = random.pick([{ where: { accountId: 1 } }, { where: { posts: 2 }, data: { posts: 3 } }])
      return {
        form: 'query',
        model: 'AccountStat',
        operation: random.pick(['deleteMany', 'updateMany']),
        args,
      }
    }
    // Half of all writes are to where most relations meet.
    const name = random.chance(35) ? 'Account' : random.pick(Object.keys(this.#dialect.models))
    const model = this.#dialect.models[name]!
    const operation = random.pick(this.#operations)
    return { form: 'query', model: name, operation, args: this.#args(model, operation) }
  }

  #args(model: Model, operation: string): Args {
    switch (operation) {
      case 'create':
        return { data: this.#created(model, 2), ...this.#projection(model) }
      case 'createMany':
        return this.#createdMany(model)
      case 'createManyAndReturn':
        return { ...this.#createdMany(model), ...this.#projection(model, 'single') }
      case 'update':
        return { where: this.#unique(model), data: this.#updated(model, 2), ...this.#projection(model) }
      case 'upsert':
        return {
          where: this.#unique(model),
          create: this.#created(model, 1),
          update: this.#updated(model, 1),
          ...this.#projection(model),
        }
      case 'delete':
        return { where: this.#unique(model), ...this.#projection(model) }
      case 'updateMany':
        return { ...this.#many(model), data: this.#updated(model, 0, 'keys') }
      case 'updateManyAndReturn':
        return {
          ...this.#many(model),
          data: this.#updated(model, 0, 'keys'),
          // Prisma 7.10 fails with P2023 where this is to return related rows.
          ...this.#projection(model, 'none'),
        }
      default:
        return this.#many(model)
    }
  }

  #many(model: Model): Args {
    const random = this.#random
    return {
      ...(random.chance(95) && { where: this.#where(model, 1) }),
      // None, or so many that it decides nothing: which ones it leaves out, databases do not promise.
      ...(random.chance(8) && { limit: random.pick([0, 1000]) }),
    }
  }

  #createdMany(model: Model): Args {
    const random = this.#random
    const data = this.#rows(Array.from({ length: random.below(4) }, () => this.#created(model, 0, 'keys')))
    return {
      data: data.length === 1 && random.chance(50) ? data[0] : data,
      ...(this.#dialect.skipsDuplicates && random.chance(60) && { skipDuplicates: true }),
    }
  }

  // ---- values ----

  /** Often that of a row which exists. */
  #value(model: Model, name: string): unknown {
    const random = this.#random
    const field = model.fields[name]!
    const rows = this.#snapshot().get(model.name) ?? []
    // Of timestamps the databases have different ones.
    const isKnown = rows.length > 0 && !field.isList && !model.timestamps.includes(name)
    if (isKnown && random.chance(55)) {
      const value = random.pick(rows)[name]
      if (value !== undefined && (value !== null || random.chance(40))) return this.#respelled(field, value)
    }
    return this.#fresh(field)
  }

  #fresh(field: Field): unknown {
    const random = this.#random
    if (field.isList) return random.list(2, () => field.value(random))
    if (field.isNullable && random.chance(20)) return null
    return field.value(random)
  }

  /** The same value, in another form that means the same to the database. */
  #respelled(field: Field, value: unknown): unknown {
    const random = this.#random
    if (field.type === 'DateTime' && value instanceof Date && random.chance(20)) return value.toISOString()
    if (field.type === 'Decimal' && random.chance(30)) return String(value)
    if (field.type === 'String' && this.#dialect.folds && random.chance(20))
      return random.chance(70) ? swapCase(String(value)) : `${String(value)} `
    return value
  }

  // ---- data ----

  #created(model: Model, depth: number, given?: Style, without?: Relation): Args {
    const random = this.#random
    const style = given ?? random.pick<Style>(['keys', 'relations'])
    const back = without?.back
    const data: Args = {}
    for (const [name, field] of Object.entries(model.fields)) {
      if (isForeign(model, name) ? style === 'relations' || isKeyOf(model, name, back) : false) continue
      if (field.isCounted && (style === 'relations' || random.chance(70))) continue
      if (!field.isLeftOut || random.chance(field.isNullable ? 30 : 25)) data[name] = this.#fresh(field)
      // A row that is new is one more often when its key is.
      else if (random.chance(2)) data[name] = undefined
    }
    for (const [name, relation] of Object.entries(model.relations)) {
      if (name === back) continue
      const isHeld = relation.fields.length > 0
      if (isHeld ? style === 'keys' : given === 'keys') continue
      const isRequired = isHeld && !relation.isOptional && !isLeftOut(model, relation)
      if (isRequired) data[name] = this.#connectOrMake(relation, depth)
      else if (depth > 0 && random.chance(12)) data[name] = this.#nestedInCreate(relation, depth - 1)
    }
    return data
  }

  #updated(model: Model, depth: number, given?: Style, without?: Relation): Args {
    const random = this.#random
    const style = given ?? random.pick<Style>(['keys', 'relations'])
    const back = without?.back
    const data: Args = {}
    const names = Object.keys(model.fields).filter(
      (name) =>
        !(isForeign(model, name) && (style === 'relations' || isKeyOf(model, name, back))) &&
        !(model.fields[name]!.isCounted && style === 'relations'),
    )
    for (const name of random.some(names, Math.min(50, 120 / names.length))) {
      // Another key is seldom free.
      if (model.unique.some(({ fields }) => fields.includes(name)) && random.chance(given ? 85 : 60)) continue
      data[name] = this.#change(model, name)
    }
    if (depth === 0) return data
    for (const [name, relation] of Object.entries(model.relations)) {
      if (name === back || (relation.fields.length > 0 && style === 'keys')) continue
      if (random.chance(100 / Object.keys(model.relations).length / 1.5)) {
        data[name] = this.#nestedInUpdate(relation, depth - 1)
      }
    }
    return data
  }

  #change(model: Model, name: string): unknown {
    const random = this.#random
    const field = model.fields[name]!
    if (field.isList) {
      return random.oneOf<unknown>(
        () => this.#fresh(field),
        () => ({ set: this.#fresh(field) }),
        () => ({ push: field.value(random) }),
      )
    }
    if (/Int|Float|Decimal/.test(field.type) && random.chance(30)) {
      return { [random.pick(['increment', 'decrement', 'multiply'])]: random.pick([1, 2]) }
    }
    const value = random.chance(50) ? this.#value(model, name) : this.#fresh(field)
    if (field.type === 'Json') return value ?? undefined
    return random.chance(25) ? { set: value } : random.chance(2) ? undefined : value
  }

  // ---- nested writes ----

  #connectOrMake(relation: Relation, depth: number): Args {
    const random = this.#random
    const target = this.#dialect.models[relation.to]!
    if (depth === 0 || random.chance(70)) return { connect: this.#unique(target) }
    return random.chance(50)
      ? { create: this.#created(target, depth - 1, undefined, relation) }
      : {
          connectOrCreate: {
            where: this.#unique(target),
            create: this.#created(target, depth - 1, undefined, relation),
          },
        }
  }

  #nestedInCreate(relation: Relation, depth: number): Args {
    const random = this.#random
    const target = this.#dialect.models[relation.to]!
    const create = (): Args => this.#created(target, depth, undefined, relation)
    const one = random.oneOf<Args>(
      () => ({ create: this.#oneOrRows(relation, create) }),
      () => ({ connect: this.#oneOrSome(relation, () => this.#unique(target)) }),
      () => ({
        connectOrCreate: this.#oneOrSome(relation, () => ({ where: this.#unique(target), create: create() })),
      }),
    )
    if (isOneToMany(relation) && random.chance(30)) return this.#nestedCreateMany(relation)
    return one
  }

  #nestedInUpdate(relation: Relation, depth: number): Args {
    const random = this.#random
    const target = this.#dialect.models[relation.to]!
    const where = (): Args => this.#unique(target)
    const update = (): Args => this.#updated(target, depth, undefined, relation)
    const create = (): Args => this.#created(target, depth, undefined, relation)
    const isKeyHeld = relation.fields.length > 0
    const mayRelease = relation.isOptional || relation.isJoinTable || isReleasable(target, relation)
    if (relation.isList) {
      return random.oneOf<Args>(
        () => this.#nestedInCreate(relation, depth),
        () => ({ update: this.#oneOrSome(relation, () => ({ where: where(), data: update() })) }),
        () => ({
          upsert: this.#oneOrSome(relation, () => ({ where: where(), update: update(), create: create() })),
        }),
        () => ({ delete: this.#oneOrSome(relation, where) }),
        () => ({ deleteMany: this.#oneOrSome(relation, () => this.#where(target, 0)) }),
        () => ({
          updateMany: this.#oneOrSome(relation, () => ({
            where: this.#where(target, 0),
            data: this.#updated(target, 0, 'keys', relation),
          })),
        }),
        () =>
          mayRelease
            ? { set: random.list(2, where) }
            : { deleteMany: {}, create: this.#oneOrRows(relation, create) },
        () =>
          mayRelease
            ? { disconnect: this.#oneOrSome(relation, where) }
            : { connect: this.#oneOrSome(relation, where) },
      )
    }
    return random.oneOf<Args>(
      () => this.#nestedInCreate(relation, depth),
      () => ({ update: random.chance(50) ? update() : { data: update(), where: this.#where(target, 0) } }),
      () => ({
        upsert: {
          update: update(),
          create: create(),
          ...(random.chance(20) && { where: this.#where(target, 0) }),
        },
      }),
      () =>
        relation.isOptional
          ? { disconnect: random.chance(80) || this.#where(target, 0) }
          : { connect: where() },
      () =>
        relation.isOptional || !isKeyHeld
          ? { delete: random.chance(80) || this.#where(target, 0) }
          : { connect: where() },
    )
  }

  #nestedCreateMany(relation: Relation): Args {
    const random = this.#random
    const target = this.#dialect.models[relation.to]!
    const data = this.#rows(random.list(2, () => this.#created(target, 0, 'keys', relation)))
    return {
      createMany: {
        data,
        ...(this.#dialect.skipsDuplicates && random.chance(60) && { skipDuplicates: true }),
      },
    }
  }

  /** Rows of one statement. */
  #rows(rows: readonly Args[]): Args[] {
    if (!this.#dialect.insertsByFields) return [...rows]
    const isGiven = (name: string): boolean => rows.every((row) => row[name] !== undefined)
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => isGiven(name))))
  }

  /** Prisma inserts nested rows by one statement as well. */
  #oneOrRows(relation: Relation, make: () => Args): Args | Args[] {
    const made = this.#oneOrSome(relation, make)
    return Array.isArray(made) ? this.#rows(made as Args[]) : made
  }

  #oneOrSome(relation: Relation, make: () => Args): Args | Args[] {
    if (!relation.isList || this.#random.chance(60)) return make()
    return this.#random.list(2, make)
  }

  // ---- where ----

  /** What finds one row at most, and often the one that exists. */
  #unique(model: Model): Args {
    const random = this.#random
    const rows = this.#snapshot().get(model.name) ?? []
    const unique = random.chance(60) ? model.unique[0]! : random.pick(model.unique)
    const row = rows.length > 0 && random.chance(80) ? random.pick(rows) : undefined
    const values = Object.fromEntries(
      unique.fields.map((name) => {
        const known = row?.[name] ?? undefined
        return [
          name,
          known === undefined
            ? this.#notNull(model.fields[name]!)
            : this.#respelled(model.fields[name]!, known),
        ]
      }),
    )
    const where: Args = unique.fields.length > 1 ? { [unique.name]: values } : values
    if (random.chance(12)) Object.assign(where, this.#conditions(model, 0, unique.fields))
    return where
  }

  #notNull(field: Field): unknown {
    return field.value(this.#random)
  }

  #where(model: Model, depth: number): Args {
    const random = this.#random
    const nested = (): Args => this.#where(model, depth - 1)
    const rows = this.#snapshot().get(model.name) ?? []
    return random.oneOf<Args>(
      // A key, whole, of a row that exists.
      () => {
        const { fields } = random.pick(model.unique)
        const row = rows.length > 0 ? random.pick(rows) : {}
        return Object.fromEntries(
          fields.map((name) => [name, row[name] === undefined ? this.#value(model, name) : row[name]]),
        )
      },
      () => {
        const [first, ...others] = random.pick(model.unique).fields
        const values = random.list(3, () => this.#notNullOf(model, first!))
        return {
          [first!]: { in: values },
          ...Object.fromEntries(others.map((name) => [name, this.#value(model, name)])),
        }
      },
      () => this.#conditions(model, depth, []),
      () => this.#conditions(model, depth, []),
      () => (depth > 0 ? { OR: [nested(), nested()] } : {}),
      () => (depth > 0 ? { AND: random.chance(50) ? nested() : [nested(), nested()] } : {}),
      () => (depth > 0 ? { NOT: nested() } : this.#conditions(model, 0, [])),
    )
  }

  #notNullOf(model: Model, name: string): unknown {
    const value = this.#value(model, name)
    return value ?? this.#notNull(model.fields[name]!)
  }

  #conditions(model: Model, depth: number, except: readonly string[]): Args {
    const random = this.#random
    const names = Object.keys(model.fields).filter(
      (name) => !except.includes(name) && !(except.length > 0 && isUnique(model, name)),
    )
    if (names.length === 0) return {}
    const conditions: Args = {}
    for (let count = 1 + random.below(2); count > 0; count--) {
      const name = random.pick(names)
      conditions[name] = this.#condition(model, name)
    }
    const relations = Object.entries(model.relations)
    if (depth > 0 && relations.length > 0 && random.chance(35)) {
      const [name, relation] = random.pick(relations)
      const inner = this.#where(this.#dialect.models[relation.to]!, depth - 1)
      conditions[name] = relation.isList
        ? { [random.pick(['some', 'every', 'none'])]: inner }
        : random.pick<unknown>([
            inner,
            { is: inner },
            { isNot: inner },
            ...(relation.isOptional ? [null] : []),
          ])
    }
    return conditions
  }

  #condition(model: Model, name: string): unknown {
    const random = this.#random
    const field = model.fields[name]!
    const value = this.#notNullOf(model, name)
    if (field.isList) {
      return random.oneOf<unknown>(
        () => ({ has: field.value(random) }),
        () => ({ isEmpty: random.chance(50) }),
        () => ({ equals: value }),
      )
    }
    if (field.type === 'Json')
      return random.pick<unknown>([{ equals: value }, { path: this.#dialect.jsonPath, equals: 1 }])
    if (field.isNullable && random.chance(15)) return random.pick([null, { not: null }])
    const plain: (() => unknown)[] = [() => value, () => ({ equals: value }), () => ({ not: value })]
    if (field.type !== 'Boolean') {
      plain.push(
        () => ({ in: [value, ...random.list(2, () => this.#notNullOf(model, name))] }),
        () => ({ notIn: [value] }),
      )
    }
    if (/Int|Float|Decimal|DateTime/.test(field.type)) {
      plain.push(
        () => ({ [random.pick(['gt', 'gte', 'lt', 'lte'])]: value }),
        () => ({ gte: value, not: this.#notNullOf(model, name) }),
      )
    }
    if (field.type === 'String' && !/^5eed/i.test(String(value))) {
      const other = String(value).toUpperCase()
      const mode = this.#dialect.hasModes && { mode: 'insensitive' }
      plain.push(
        () => ({ equals: other, ...mode }),
        () => ({ in: [other], ...mode }),
        () => ({ [random.pick(['contains', 'startsWith', 'endsWith'])]: String(value).slice(0, 2) }),
        () => ({ startsWith: other.slice(0, 1), ...mode }),
      )
    }
    return random.pick(plain)()
  }

  // ---- what comes back ----

  #projection(model: Model, related: 'all' | 'single' | 'none' = 'all'): Args {
    const random = this.#random
    const fields = Object.keys(model.fields)
    const chosen = (percent: number): Args =>
      Object.fromEntries(random.some(fields, percent).map((name) => [name, random.chance(95)]))
    const relations = (percent: number): Args =>
      Object.fromEntries(
        random
          .some(Object.entries(model.relations), percent)
          .filter(([, { fields }]) => related === 'all' || (related === 'single' && fields.length > 0))
          .map(([name, relation]) => [name, this.#inner(relation)]),
      )
    const count = (): Args =>
      related === 'all' && random.chance(15) && Object.values(model.relations).some(({ isList }) => isList)
        ? { _count: true }
        : {}
    return random.pick<() => Args>([
      () => ({}),
      () => ({}),
      () => ({}),
      () => {
        const select = { ...relations(10), ...chosen(25), ...count() }
        return Object.values(select).some(Boolean) ? { select } : { select: { [fields[0]!]: true } }
      },
      () => ({ omit: chosen(20) }),
      () => ({ include: { ...relations(20), ...count() } }),
    ])()
  }

  #inner(relation: Relation): unknown {
    const random = this.#random
    const fields = Object.keys(this.#dialect.models[relation.to]!.fields)
    if (random.chance(60)) return true
    return {
      select: Object.fromEntries([random.pick(fields), random.pick(fields)].map((name) => [name, true])),
    }
  }
}

/** Beside another key, `where` takes a value of such a field only, no condition. */
function isUnique(model: Model, name: string): boolean {
  return model.unique.some(({ fields }) => fields.length === 1 && fields[0] === name)
}

function isForeign(model: Model, name: string): boolean {
  return Object.values(model.relations).some(({ fields }) => fields.includes(name))
}

/** Whether a field is part of the foreign key of a relation. */
function isKeyOf(model: Model, name: string, relation: string | undefined): boolean {
  return relation !== undefined && (model.relations[relation]?.fields.includes(name) ?? false)
}

function isLeftOut(model: Model, { fields }: Relation): boolean {
  return fields.every((name) => model.fields[name]!.isLeftOut)
}

function isOneToMany(relation: Relation): boolean {
  return relation.isList && !relation.isJoinTable
}

/** Whether the rows of the other side can be without this one. */
function isReleasable(target: Model, { back }: Relation): boolean {
  return target.relations[back]!.isOptional
}

function swapCase(text: string): string {
  const upper = text.toUpperCase()
  return text === upper ? text.toLowerCase() : upper
}

export function queriesOf(write: Write): readonly Query[] {
  return write.form === 'query' ? [write] : write.queries
}
