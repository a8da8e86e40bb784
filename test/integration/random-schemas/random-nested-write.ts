/** Writes of the models of a random schema, nested at most three levels deep. */
import type { Random } from '../differential/random.ts'
import type { Model, Relation, Schema } from './random-schema.ts'
import type { Row, Rows } from './random-rows.ts'

export type Args = Record<string, unknown>

export interface Query {
  readonly model: string
  readonly operation: string
  readonly args: Args | readonly unknown[]
}

/** How an object of `data` names other rows: by its foreign keys, or through its relations. */
type Style = 'keys' | 'relations'

const operations = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'update',
  'update',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'delete',
  'deleteMany',
]

export function randomQuery(random: Random, { dialect, models, most }: Schema, rows: Rows): Query {
  const { provider } = dialect
  return new QueryGenerator(random, models, rows, { provider, most }).query()
}

class QueryGenerator {
  readonly #random: Random
  readonly #models: readonly Model[]
  readonly #rows: Rows
  readonly #provider: string
  readonly #most: number
  /** The rows that conditions name. */
  readonly #named = new WeakMap<Args, Row>()

  constructor(
    random: Random,
    models: readonly Model[],
    rows: Rows,
    { most, provider }: { readonly most: number; readonly provider: string },
  ) {
    this.#most = most
    this.#provider = provider
    this.#random = random
    this.#models = models
    this.#rows = rows
  }

  query(): Query {
    const random = this.#random
    const model = random.pick(this.#models)
    const possible = operations.filter((one) => !(this.#provider === 'mysql' && one.endsWith('AndReturn')))
    const operation = random.pick(possible)
    return { model: model.name, operation, args: this.#args(model, operation) }
  }

  #args(model: Model, operation: string): Args {
    const random = this.#random
    const depth = 1 + random.below(3)
    switch (operation) {
      case 'create':
        return { data: this.#created(model, depth) }
      case 'createMany':
      case 'createManyAndReturn':
        return {
          data: random.list(3, () => this.#created(model, 0, 'keys')),
          ...(this.#provider !== 'sqlite' && random.chance(50) && { skipDuplicates: true }),
        }
      case 'update': {
        const where = this.#unique(model)
        return { where, data: this.#updated(model, depth, this.#named.get(where)) }
      }
      case 'upsert': {
        const where = this.#unique(model)
        const update = this.#updated(model, depth, this.#named.get(where))
        return { where, create: this.#created(model, depth - 1), update }
      }
      case 'delete':
        return { where: this.#unique(model) }
      case 'updateMany':
      case 'updateManyAndReturn':
        return {
          where: this.#where(model, 1),
          data: this.#updated(model, 0, undefined, 'keys'),
          ...this.#limit(),
        }
      default:
        return { where: this.#where(model, 1), ...this.#limit() }
    }
  }

  #limit(): Args {
    return this.#random.chance(15) ? { limit: 1 + this.#random.below(2) } : {}
  }

  // ---- conditions ----

  #rowsOf(model: Model): readonly Row[] {
    return this.#rows.get(model.name)!
  }

  #unique(model: Model, among = this.#rowsOf(model)): Args {
    const random = this.#random
    const key = random.chance(60) ? model.keys[0]! : random.pick(model.keys)
    const rows = among.filter((row) => key.every((field) => row[field] !== null))
    const row = rows.length > 0 && random.chance(92) ? random.pick(rows) : undefined
    const values = Object.fromEntries(key.map((field) => [field, row?.[field] ?? this.#number()]))
    const where: Args = key.length === 1 ? values : { [key.join('_')]: values }
    if (random.chance(6)) Object.assign(where, this.#where(model, 1))
    if (row) this.#named.set(where, row)
    return where
  }

  #where(model: Model, depth: number): Args {
    const random = this.#random
    if (random.chance(10)) return {}
    const field = random.pick([...model.fields.keys()])
    const relation = model.relations.length > 0 ? random.pick(model.relations) : undefined
    return random.oneOf<Args>(
      () => this.#plain(this.#unique(model)),
      () => ({ [field]: this.#value(model, field) }),
      () => ({ [field]: { in: [this.#number(), this.#number()] } }),
      () => ({ [field]: { gt: this.#number() - 3 } }),
      () => {
        if (!relation || depth === 0) return { n: 0 }
        const inner = this.#where(relation.target, depth - 1)
        if (relation.isList) return { [relation.field]: { [random.pick(['some', 'none'])]: inner } }
        return { [relation.field]: random.chance(50) ? { is: inner } : { isNot: inner } }
      },
    )
  }

  /** A unique `where` as an ordinary one. */
  #plain(where: Args): Args {
    return Object.fromEntries(
      Object.entries(where).flatMap(([name, value]) =>
        name.includes('_') ? Object.entries(value as Args) : [[name, value]],
      ),
    )
  }

  #number(): number {
    return 1 + this.#random.below(this.#random.chance(70) ? this.#most : 12)
  }

  /** Often that of a row which exists. */
  #value(model: Model, field: string): number | null {
    const random = this.#random
    const relation = model.relations.find((one) => one.holder === 'this' && one.fields.includes(field))
    const others = relation ? this.#rowsOf(relation.target) : this.#rowsOf(model)
    const isNullable = model.fields.get(field)!.isNullable
    if (isNullable && random.chance(20)) return null
    if (others.length === 0 || random.chance(30)) return this.#number()
    const name = relation ? relation.references[relation.fields.indexOf(field)]! : field
    return random.pick(others)[name] ?? this.#number()
  }

  // ---- data ----

  #created(model: Model, depth: number, given?: Style, without?: Relation): Args {
    const random = this.#random
    const style = given ?? random.pick<Style>(['keys', 'relations'])
    const held = model.relations.filter(({ holder }) => holder === 'this')
    const data: Args = {}
    const implied = new Set(without?.holder === 'target' ? without.fields : [])
    for (const [field, { default: value, isNullable, setBy }] of model.fields) {
      if (implied.has(field) || setBy) continue
      const isForeign = held.some(({ fields }) => fields.includes(field))
      if (isForeign && style === 'relations') continue
      const isOptional = isNullable || value !== undefined
      if (isOptional && random.chance(60)) continue
      const isKey = model.keys.some((key) => key.includes(field))
      data[field] = isKey && !isForeign && random.chance(75) ? 7 + random.below(6) : this.#value(model, field)
    }
    for (const relation of model.relations) {
      if (relation.field === without?.targetField) continue
      const { fields, holder, isOptional } = relation
      if (given === 'keys' || (holder === 'this' && style === 'keys')) continue
      const isRequired =
        holder === 'this' && !isOptional && !fields.every((field) => model.fields.get(field)!.default)
      if (isRequired || (depth > 0 && random.chance(25)))
        data[relation.field] = this.#nestedInCreate(relation, Math.max(0, depth - 1), depth > 0)
    }
    return data
  }

  /** @param row that is updated, if it is known */
  #updated(model: Model, depth: number, row?: Row, given?: Style, without?: Relation): Args {
    const random = this.#random
    const style = given ?? random.pick<Style>(['keys', 'relations', 'relations'])
    const held = model.relations.filter(({ holder }) => holder === 'this')
    const implied = new Set(without?.holder === 'target' ? without.fields : [])
    const data: Args = {}
    for (const [field, { setBy }] of model.fields) {
      if (setBy) continue
      const isForeign = held.some(({ fields }) => fields.includes(field))
      if (implied.has(field) || (isForeign && style === 'relations')) continue
      if (!random.chance(isForeign ? 25 : 18)) continue
      const isKey = model.keys.some((key) => key.includes(field))
      const fresh = isKey && !isForeign ? 7 + random.below(6) : this.#value(model, field)
      data[field] = random.chance(10) ? { increment: 10 } : random.chance(15) ? { set: fresh } : fresh
    }
    if (depth === 0) {
      if (Object.keys(data).length === 0) data.n = random.below(9)
      return data
    }
    const possible = model.relations.filter(
      ({ field, holder }) =>
        (field !== without?.targetField || random.chance(20)) && !(holder === 'this' && style === 'keys'),
    )
    for (const relation of random.some(possible, 110 / Math.max(2, possible.length)))
      data[relation.field] = this.#nestedInUpdate(relation, depth - 1, row)
    return data
  }

  // ---- nested writes ----

  #nestedInCreate(relation: Relation, depth: number, mayCreate: boolean): Args {
    const random = this.#random
    const { isList, target } = relation
    const some = <T>(make: () => T): T | T[] => (isList && random.chance(40) ? random.list(2, make) : make())
    const connect = (): Args => ({ connect: some(() => this.#unique(target)) })
    if (!mayCreate) return connect()
    return random.oneOf<Args>(
      connect,
      () => ({ create: some(() => this.#created(target, depth, undefined, relation)) }),
      () => ({
        connectOrCreate: some(() => ({
          where: this.#unique(target),
          create: this.#created(target, depth, undefined, relation),
        })),
      }),
      () =>
        isList && relation.holder === 'target'
          ? { createMany: { data: random.list(2, () => this.#created(target, 0, 'keys', relation)) } }
          : connect(),
    )
  }

  #nestedInUpdate(relation: Relation, depth: number, row: Row | undefined): Args {
    const random = this.#random
    const first = this.#operationInUpdate(relation, depth, row)
    return random.chance(20) ? { ...first, ...this.#operationInUpdate(relation, depth, row) } : first
  }

  #operationInUpdate(relation: Relation, depth: number, row: Row | undefined): Args {
    const { holder, isList, isOptional, target, targetField } = relation
    const random = this.#random
    if (random.chance(25)) return this.#nestedInCreate(relation, depth, true)
    const back = target.relations.find(({ field }) => field === targetField)!
    const isFree = holder === 'join-table' || (holder === 'target' ? back.isOptional : isOptional)
    const created = (): Args => this.#created(target, depth, undefined, relation)
    const others = this.#otherSide(relation, row)
    const updated = (other?: Row): Args => this.#updated(target, depth, other, undefined, relation)
    const unique = (): Args => this.#unique(target, others && random.chance(85) ? others : undefined)
    const some = <T>(make: () => T): T | T[] => (random.chance(30) ? random.list(2, make) : make())
    if (!isList) {
      const choices = [
        () => ({
          update: random.chance(60)
            ? updated(others?.[0])
            : { where: this.#where(target, 1), data: updated(others?.[0]) },
        }),
        () => ({ update: updated(others?.[0]) }),
        () => ({
          upsert: {
            ...(random.chance(25) && { where: this.#where(target, 1) }),
            create: created(),
            update: updated(others?.[0]),
          },
        }),
        ...(isFree || holder === 'target'
          ? [() => ({ delete: random.chance(70) ? true : this.#where(target, 0) })]
          : []),
        ...(isFree ? [() => ({ disconnect: random.chance(70) ? true : this.#where(target, 0) })] : []),
      ]
      return random.pick<() => Args>(choices)()
    }
    const choices = [
      () => ({
        update: some(() => {
          const where = unique()
          return { where, data: updated(this.#named.get(where)) }
        }),
      }),
      () => ({
        upsert: some(() => {
          const where = unique()
          return { where, create: created(), update: updated(this.#named.get(where)) }
        }),
      }),
      () => ({
        updateMany: some(() => ({
          where: this.#where(target, 0),
          data: this.#updated(target, 0, undefined, 'keys', relation),
        })),
      }),
      () => ({ delete: some(() => unique()) }),
      () => ({ deleteMany: some(() => this.#where(target, 0)) }),
      ...(isFree
        ? [
            () => ({ disconnect: some(() => unique()) }),
            () => ({ set: random.list(2, () => this.#unique(target)) }),
          ]
        : []),
    ]
    return random.pick<() => Args>(choices)()
  }

  /** The rows at the other side of a relation of a row; undefined if unknown. */
  #otherSide(
    { fields, holder, references, target }: Relation,
    row: Row | undefined,
  ): readonly Row[] | undefined {
    if (!row || holder === 'join-table') return undefined
    const [own, other] = holder === 'this' ? [fields, references] : [references, fields]
    return this.#rowsOf(target).filter((one) =>
      own.every((field, at) => row[field] !== null && row[field] === one[other[at]!]),
    )
  }
}
