/** Generates the steps of an episode: reads of every form, and writes between them. */
import { skip } from '@prisma/client/runtime/client'
import type { Random } from '../random.ts'
import { Prisma } from './client/client.ts'
import { ComposedReads } from './composed-read.ts'
import { lookupRead, type ReadShapes } from './lookup-read.ts'
import { type Field, type Model, type Unique, valueOf } from './models.ts'
import type { ReadDialect } from './read-dialects.ts'
import { type Args, oddities, type Query, readManners } from './query.ts'

export type Step =
  /** Queries that begin in the same event-loop turn. With `isTwice` each is awaited twice. */
  | {
      readonly form: 'reads'
      readonly client: string
      readonly queries: readonly Query[]
      readonly isTwice?: boolean
    }
  | { readonly form: 'batch'; readonly client: string; readonly queries: readonly Query[] }
  | {
      readonly form: 'transaction'
      readonly client: string
      readonly queries: readonly Query[]
      readonly isAbandoned: boolean
    }
  | { readonly form: 'write'; readonly client: string; readonly queries: readonly [Query] }

const operations = [
  ...Array.from({ length: 6 }, () => 'findUnique'),
  ...Array.from({ length: 5 }, () => 'findMany'),
  ...Array.from({ length: 3 }, () => 'findFirst'),
  ...Array.from({ length: 2 }, () => 'findUniqueOrThrow'),
  ...Array.from({ length: 2 }, () => 'findFirstOrThrow'),
]

/** Whether Prisma's engine panics, or never answers, if it puts the query together with others. */
function stopsEngine({ operation, args, manner }: Query): boolean {
  if (!operation.startsWith('findUnique')) return false
  const { where } = (args ?? {}) as { where?: unknown }
  if (manner === 'inherited' || typeof where !== 'object' || where === null) return true
  // Bytes and dates have no properties that are arguments.
  if (Object.getPrototypeOf(where) !== Object.prototype) return true
  return Object.values(where).every((value) => value === undefined || value === skip)
}

export class ReadGenerator {
  readonly #random: Random
  readonly #clients: readonly string[]
  readonly #dialect: ReadDialect
  readonly #readable: readonly Model[]
  readonly #unreadable: readonly Model[]
  /** Not those of which no query is answered: without a cache, or with ids whose spelling the database changes or ignores. */
  readonly #answered: readonly Model[]

  constructor(random: Random, clients: readonly string[], dialect: ReadDialect) {
    this.#random = random
    this.#clients = clients
    this.#dialect = dialect
    const models = Object.values(dialect.models)
    const isReadable = ({ name }: Model) => !['Unreadable', 'Refused'].includes(name)
    this.#readable = models.filter(isReadable)
    this.#unreadable = models.filter((model) => !isReadable(model))
    this.#answered = this.#readable.filter(({ name }) => !['Uncached', 'Tag', 'Code'].includes(name))
    this.#composed = new ComposedReads(random, dialect, this.#shapes)
  }

  step(): Step {
    const random = this.#random
    const client = random.chance(45) ? this.#clients[0]! : random.pick(this.#clients)
    const reads = (most: number): Query[] => {
      const queries = [this.read(), ...random.list(most - 1, () => this.read())]
      return queries.some(stopsEngine) ? queries.slice(0, 1) : queries
    }
    if (random.chance(10)) return { form: 'write', client, queries: [this.write()] }
    if (random.chance(4)) return { form: 'batch', client, queries: reads(4) }
    if (random.chance(4)) {
      const queries = reads(4).flatMap((read) => (random.chance(40) ? [this.write(), read] : [read]))
      return { form: 'transaction', client, queries, isAbandoned: random.chance(50) }
    }
    if (random.chance(2)) {
      // Alone: Prisma's engine panics at some of them if it puts queries together.
      const query = this.read()
      const args = random.pick<unknown>([undefined, {}, null, 'text', [], 1])
      return { form: 'reads', client, queries: [{ model: query.model, operation: query.operation, args }] }
    }
    if (random.chance(30)) {
      // The same query several times, or queries of one form, which Prisma puts together.
      const query = this.read()
      const queries = [query, ...random.list(4, () => (random.chance(30) ? query : this.#similar(query)))]
      return { form: 'reads', client, queries: queries.some(stopsEngine) ? [query] : queries }
    }
    return { form: 'reads', client, queries: reads(random.chance(70) ? 1 : 4), isTwice: random.chance(3) }
  }

  read(): Query {
    const random = this.#random
    if (random.chance(25)) return this.#composed.read()
    if (random.chance(40)) return this.#plainRead()
    return random.chance(50) ? lookupRead(random, this.#dialect, this.#shapes) : this.#oddRead()
  }

  /** By ids that rows have, or could have: what caches are for. */
  #plainRead(): Query {
    const random = this.#random
    const model = random.pick(this.#answered)
    const operation = random.pick(operations)
    const { fields, name } = model.unique[0]!
    const id = (): Args =>
      Object.fromEntries(fields.map((field) => [field, valueOf(random, model.name, model.fields[field]!)]))
    const one = id()
    const args: Args = {}
    if (operation.startsWith('findUnique')) {
      args.where = fields.length === 1 ? one : { [name]: one }
    } else if (operation === 'findMany' && random.chance(70)) {
      const ids = [one, ...random.list(6, id)]
      args.where = fields.length === 1 ? { [name]: { in: ids.map((each) => each[name]) } } : { OR: ids }
      if (random.chance(40)) args.orderBy = fields.map((field) => ({ [field]: random.pick(['asc', 'desc']) }))
    } else {
      args.where = one
    }
    const projection = this.#shapes.projection(model)
    // Often no row: then the query follows to the database.
    const manner = random.chance(12) ? { manner: random.pick(['changed' as const, ...readManners]) } : {}
    return { model: model.name, operation, args: { ...args, ...projection }, ...manner }
  }

  /** What other reads are made of. */
  readonly #shapes: ReadShapes = {
    projection: (model) => {
      const random = this.#random
      const chosen = Object.fromEntries(
        this.#shuffled(random.some(Object.keys(model.fields), 40)).map((field) => [field, true]),
      )
      const most = model.fields.secret ? { omit: { secret: true } } : {}
      return random.pick<Args>([most, most, { omit: { ...chosen, ...most.omit } }, { select: chosen }])
    },
    id: (model, field) => this.#id(model, field),
    conditions: (model) => this.#conditions(model),
    order: (model) => this.#order(model),
    page: (model) => this.#page(model),
  }

  readonly #composed: ComposedReads

  #oddRead(): Query {
    const random = this.#random
    const isFailing = this.#unreadable.length > 0 && random.chance(6)
    const model = random.pick(isFailing ? this.#unreadable : this.#readable)
    const operation = random.pick(operations)
    const isUnique = operation.startsWith('findUnique')
    const manner = random.chance(6) ? { manner: random.pick(readManners) } : {}
    const args: Args = { where: isUnique ? this.#whereUnique(model) : this.#whereAny(model) }
    if (random.chance(40)) Object.assign(args, this.#projection(model))
    if (!isUnique && random.chance(35)) Object.assign(args, this.#order(model))
    if (!isUnique && random.chance(15)) Object.assign(args, this.#page(model))
    if (random.chance(3))
      args.relationLoadStrategy = random.pick(['join', 'query', 'query', undefined, 'other'])
    if (random.chance(2))
      args[random.pick(['extra', 'take', 'orderBy', 'data', 'cursor'])] = random.pick(oddities)
    const ordered = random.chance(20) ? Object.fromEntries(Object.entries(args).toReversed()) : args
    const chain = operation !== 'findMany' && random.chance(9) ? this.#chain(model) : undefined
    return { model: model.name, operation, args: ordered, ...(chain && { chain }), ...manner }
  }

  /** Another row in the same form. */
  #similar(query: Query): Query {
    const { where, ...rest } = (query.args ?? {}) as Args
    if (where === undefined) return query
    const model = this.#dialect.models[query.model]!
    const isUnique = query.operation.startsWith('findUnique')
    return {
      ...query,
      args: { where: isUnique ? this.#key(model, model.unique[0]!) : this.#whereAny(model), ...rest },
    }
  }

  // ---- conditions ----

  #whereUnique(model: Model): unknown {
    const random = this.#random
    const key = random.chance(80) ? model.unique[0]! : random.pick(model.unique)
    const where = this.#key(model, key) as Args
    if (random.chance(85)) return where
    return random.oneOf<unknown>(
      () => ({ ...where, ...this.#conditions(model) }),
      () => ({
        ...where,
        [random.pick(['AND', 'OR', 'NOT'])]: random.pick([undefined, [], {}, where, [where]]),
      }),
      () => ({ AND: where }),
      () => ({ ...where, [this.#fieldName(model)]: random.pick([undefined, skip]) }),
      () => ({ ...this.#key(model, random.pick(model.unique)), ...where }),
      () => ({
        ...where,
        [this.#relationName(model)]: random.pick<unknown>([{}, undefined, { is: {} }, { some: {} }, null]),
      }),
      () => Object.fromEntries(Object.keys(where).map((name) => [name, random.pick(oddities)])),
      () => Object.fromEntries(Object.keys(where).map((name) => [name, { equals: where[name] }])),
      () => Object.fromEntries(Object.keys(where).map((name) => [name, { in: [where[name]] }])),
      () => random.pick(oddities),
    )
  }

  /** `{ id }` or `{ name: { hall, row } }`. */
  #key(model: Model, { fields, name }: Unique): Args {
    const random = this.#random
    if (fields.length === 1) return { [fields[0]!]: this.#id(model, fields[0]!) }
    let entries = fields.map((field) => [field, this.#id(model, field)] as const)
    if (random.chance(30)) entries = entries.toReversed()
    const key = Object.fromEntries(entries) as Args
    if (random.chance(3)) delete key[fields[0]!]
    if (random.chance(3)) key[random.pick(['extra', ...Object.keys(model.fields)])] = random.pick(oddities)
    return { [name]: key }
  }

  /** Where one row, or one of many, is meant. */
  #whereAny(model: Model): unknown {
    const random = this.#random
    const key = random.chance(80) ? model.unique[0]! : random.pick(model.unique)
    if (random.chance(18)) return this.#where(model, 2)
    const where = this.#idCondition(model, key)
    if (random.chance(88)) return where
    return random.oneOf<unknown>(
      () => ({ AND: where }),
      () => ({ AND: [where] }),
      () => ({ OR: [where] }),
      () => ({ OR: [where, this.#idCondition(model, key)] }),
      () => ({ NOT: where }),
      () => ({ ...where, AND: random.pick([undefined, [], {}, [{}]]) }),
      () => ({ ...where, OR: random.pick([undefined, [], [{}]]) }),
      () => ({ ...where, NOT: random.pick([undefined, [], {}]) }),
      () => ({ ...where, ...this.#conditions(model) }),
      () => ({ ...where, [this.#fieldName(model)]: random.pick([undefined, skip, null]) }),
      () => ({ ...where, ...(random.chance(30) && { extra: random.pick(oddities) }) }),
      () => random.pick([undefined, {}, random.pick(oddities)]),
    )
  }

  #idCondition(model: Model, { fields, name }: Unique): Args {
    const random = this.#random
    if (fields.length > 1) {
      const parts = (): Args => Object.fromEntries(fields.map((field) => [field, this.#id(model, field)]))
      return random.pick<() => Args>([
        parts,
        parts,
        () => ({ OR: random.list(4, parts) }),
        () => ({ AND: [parts()] }),
        () => (random.chance(30) ? { [name]: parts() } : parts()),
        () => ({ ...parts(), [fields[0]!]: { in: random.list(3, () => this.#id(model, fields[0]!)) } }),
        () => Object.fromEntries(Object.entries(parts()).map(([field, value]) => [field, { equals: value }])),
      ])()
    }
    const field = fields[0]!
    const id = (): unknown => this.#id(model, field)
    return random.pick<() => Args>([
      () => ({ [field]: id() }),
      () => ({ [field]: id() }),
      () => ({ [field]: { equals: id() } }),
      () => ({ [field]: { in: random.list(6, id) } }),
      () => ({ [field]: { in: random.list(6, id) } }),
      () => ({ [field]: { in: [id()] } }),
      () => ({ [field]: { in: random.pick<unknown>([[], [], [id()], undefined, null, id(), [undefined]]) } }),
      () => ({
        [field]: {
          in: random.list(4, id),
          [random.pick(['notIn', 'not', 'equals', 'gt', 'lt'])]: random.pick<unknown>([
            id(),
            [id()],
            undefined,
          ]),
        },
      }),
      () => ({
        [field]: {
          in: random.list(4, id),
          ...(model.fields[field]!.type === 'String' && {
            mode: random.pick(['insensitive', 'default', undefined]),
          }),
        },
      }),
      () => ({
        [field]: {
          [random.pick(['notIn', 'not', 'gt', 'lte', 'startsWith'])]: random.pick<unknown>([
            id(),
            [id()],
            { equals: id() },
            undefined,
          ]),
        },
      }),
      () => ({
        [field]: random.pick<unknown>([
          {},
          undefined,
          { equals: undefined },
          { equals: null },
          { equals: id() },
        ]),
      }),
    ])()
  }

  /** A value of a field that identifies rows. */
  #id(model: Model, name: string): unknown {
    const random = this.#random
    const field = model.fields[name]!
    const value = valueOf(random, model.name, field)
    if (random.chance(3)) return random.pick(oddities)
    return random.chance(10) ? this.#spelled(field, value) : value
  }

  #spelled({ type, native, name, isList }: Field, value: unknown): unknown {
    const random = this.#random
    if (isList) return value
    if (random.chance(4)) return skip
    switch (type) {
      case 'Int':
        return random.pick<unknown>([
          BigInt(value as number),
          String(value),
          (value as number) + 0.5,
          -(value as number),
          Object(value),
        ])
      case 'BigInt':
        return random.pick<unknown>([
          Number(value),
          String(value),
          -BigInt(value as bigint),
          BigInt(value as bigint) + 2n ** 64n,
        ])
      case 'String': {
        const text = String(value)
        return random.pick<unknown>([
          text.toUpperCase(),
          text.toLowerCase(),
          `${text} `,
          ` ${text}`,
          text.normalize('NFD'),
          `${text}\0`,
          Object(text),
          ...(native === 'Uuid' ? [text.replaceAll('-', ''), `{${text}}`] : []),
          { toString: () => name },
        ])
      }
      default:
        return value
    }
  }

  #where(model: Model, depth: number): Args {
    const random = this.#random
    const nested = (): Args => this.#where(model, depth - 1)
    if (depth === 0 || random.chance(50)) return this.#conditions(model)
    return random.oneOf<Args>(
      () => ({}),
      () => ({ OR: [nested(), nested()] }),
      () => ({ AND: random.chance(50) ? nested() : [nested(), nested()] }),
      () => ({ NOT: nested() }),
      () => {
        const relation = random.pick([...Object.values(model.relations), undefined])
        if (!relation) return {}
        const inner = this.#where(this.#dialect.models[relation.to]!, depth - 1)
        return {
          [relation.name]: relation.isList
            ? { [random.pick(['some', 'every', 'none'])]: inner }
            : random.pick<unknown>([inner, { is: inner }, { isNot: inner }, null]),
        }
      },
    )
  }

  #conditions(model: Model): Args {
    const random = this.#random
    const names = [this.#fieldName(model), ...random.list(1, () => this.#fieldName(model))]
    return Object.fromEntries(names.map((name) => [name, this.#condition(model, model.fields[name]!)]))
  }

  #condition(model: Model, field: Field): unknown {
    const random = this.#random
    const value = valueOf(random, model.name, field)
    if (random.chance(5)) return random.pick(oddities)
    if (field.isList) {
      return random.pick<unknown>([
        { has: value },
        { isEmpty: true },
        { equals: [value] },
        { hasSome: [value] },
        { hasEvery: [] },
      ])
    }
    if (field.type === 'Json') {
      return random.pick<unknown>([
        { equals: value },
        { path: ['a'], equals: 1 },
        { equals: Prisma.DbNull },
        { equals: Prisma.JsonNull },
        { not: Prisma.AnyNull },
      ])
    }
    const others: unknown[] = [value, { equals: value }, { not: value }]
    if (field.isNullable) others.push(null, { not: null }, { equals: null })
    if (field.type !== 'Boolean') others.push({ in: [value] }, { notIn: [value] })
    if (/Int|Float|Decimal|DateTime/.test(field.type))
      others.push({ gte: value }, { lt: value }, { gt: value, not: value })
    if (field.type === 'String' && !/Uuid|Inet|Xml|Bit/.test(field.native ?? '')) {
      others.push(
        { contains: 'i' },
        { startsWith: 't' },
        { equals: value, mode: 'insensitive' },
        { not: { startsWith: 'x' } },
      )
    }
    return random.pick(others)
  }

  // ---- what comes back ----

  #projection(model: Model): Args {
    const random = this.#random
    const fields = Object.keys(model.fields)
    const flag = (): unknown =>
      random.chance(85) ? true : random.pick([false, undefined, skip, null, 'yes', {}])
    const chosen = (percent: number): Args =>
      Object.fromEntries(this.#shuffled(random.some(fields, percent)).map((name) => [name, flag()]))
    const relation = (): Args => {
      const found = random.pick([...Object.values(model.relations), undefined])
      if (!found) return {}
      const inner = this.#dialect.models[found.to]!
      return {
        [found.name]: random.pick<unknown>([
          true,
          { select: { [this.#fieldName(inner)]: true } },
          found.isList ? { take: 2, orderBy: { [inner.unique[0]!.fields[0]!]: 'asc' } } : {},
          false,
          undefined,
        ]),
      }
    }
    return random.pick<() => Args>([
      () => ({ select: chosen(30) }),
      () => ({ select: chosen(30) }),
      () => ({ select: Object.fromEntries(this.#shuffled(fields).map((name) => [name, true])) }),
      () => ({ select: { [this.#fieldName(model)]: true } }),
      () => ({ omit: chosen(20) }),
      () => ({ omit: { ...chosen(10), ...(model.fields.secret && { secret: true }) } }),
      () => ({ select: { ...chosen(20), ...relation() } }),
      () => ({ include: relation() }),
      () => ({ include: { _count: true, ...relation() } }),
      () => ({ select: { [this.#fieldName(model)]: true, _count: random.pick([true, false, undefined]) } }),
      () =>
        random.oneOf<Args>(
          () => ({ [random.pick(['select', 'omit', 'include'])]: random.pick(oddities) }),
          () => ({ select: chosen(30), omit: random.pick([undefined, {}, chosen(10)]) }),
          () => ({ select: { extra: true }, ...(random.chance(50) && { include: {} }) }),
          () => ({ omit: { [this.#relationName(model)]: true } }),
        ),
    ])()
  }

  #order(model: Model): Args {
    const random = this.#random
    const [id] = model.unique
    const direction = (): unknown =>
      random.chance(85)
        ? random.pick(['asc', 'desc'])
        : random.pick<unknown>([undefined, { sort: 'asc' }, { sort: 'desc', nulls: 'first' }, 'ASC', null])
    const ofId = (): Args => Object.fromEntries(id!.fields.map((field) => [field, direction()]))
    const each = (): Args[] => id!.fields.map((field) => ({ [field]: direction() }))
    return {
      orderBy: random.pick<() => unknown>([
        ...(id!.fields.length === 1 ? [ofId, ofId] : []),
        each,
        each,
        each,
        () => ({ [this.#fieldName(model)]: direction() }),
        () => [{ [this.#fieldName(model)]: direction() }, ...each()],
        () => [...each(), { [this.#fieldName(model)]: direction() }],
        () => random.pick<unknown>([undefined, [], {}, [{}], null, skip]),
        () => ({
          [this.#relationName(model)]: random.pick<unknown>([
            { _count: 'asc' },
            undefined,
            { [id!.fields[0]!]: 'asc' },
          ]),
        }),
      ])(),
    }
  }

  #page(model: Model): Args {
    const random = this.#random
    const args: Args = {}
    if (random.chance(50)) args.take = random.pick([1, 2, 5, 0, -1, -2, 1_000, undefined, null, 1.5, '1', 1n])
    if (random.chance(35)) args.skip = random.pick<unknown>([0, 0, 1, 2, undefined, null, -1, 0.5])
    if (random.chance(20))
      args.cursor = random.chance(85)
        ? this.#key(model, random.pick(model.unique))
        : random.pick([undefined, {}, null])
    if (random.chance(20)) {
      args.distinct = random.pick<unknown>([
        this.#fieldName(model),
        [this.#fieldName(model)],
        [],
        undefined,
        [model.unique[0]!.fields[0]],
        null,
      ])
    }
    return args
  }

  #chain(model: Model): Query['chain'] {
    const random = this.#random
    const relation = random.pick([...Object.values(model.relations), undefined])
    if (!relation) return undefined
    const to = this.#dialect.models[relation.to]!
    const args = random.pick<unknown>([undefined, {}, { select: { [this.#fieldName(to)]: true } }])
    const call = { relation: relation.name, args }
    return relation.isList || random.chance(70) ? [call] : [call, ...(this.#chain(to) ?? [])]
  }

  // ---- writes ----

  write(): Query {
    const random = this.#random
    const model = random.pick(Object.values(this.#dialect.models))
    const where = (): Args => {
      const [{ fields, name }] = model.unique as [Unique]
      const values = Object.fromEntries(
        fields.map((field) => [field, valueOf(random, model.name, model.fields[field]!)]),
      )
      return fields.length === 1 ? values : { [name]: values }
    }
    const data = (percent: number): Args =>
      Object.fromEntries(
        random
          .some(Object.values(model.fields), percent)
          .map((field) => [field.name, this.#written(model, field)]),
      )
    const created = (): Args =>
      Object.fromEntries(
        Object.values(model.fields)
          .filter(
            ({ isNullable, isList, isOmitted }) => !(isNullable || isList || isOmitted) || random.chance(30),
          )
          .map((field) => [field.name, this.#written(model, field)]),
      )
    const updated = (): Args => {
      const [{ fields }] = model.unique as [Unique]
      const all = data(model.fields.text ? 15 : 40)
      return random.chance(90)
        ? Object.fromEntries(Object.entries(all).filter(([name]) => !fields.includes(name)))
        : all
    }
    const [operation, args] = random.pick<() => [string, Args]>([
      () => ['create', { data: created() }],
      () => ['create', { data: created() }],
      () => ['update', { where: where(), data: updated() }],
      () => ['update', { where: where(), data: updated() }],
      () => ['upsert', { where: where(), create: created(), update: updated() }],
      () => ['delete', { where: where() }],
      () => ['updateMany', { where: this.#conditions(model), data: updated() }],
      () => ['createMany', { data: [created(), created()], skipDuplicates: true }],
    ])()
    const manner = random.chance(12) ? { manner: random.pick(['changed' as const, ...readManners]) } : {}
    return { model: model.name, operation, args, ...manner }
  }

  #written(model: Model, field: Field): unknown {
    const random = this.#random
    if (field.isList) return random.list(3, () => valueOf(random, model.name, field))
    if (field.isNullable && random.chance(30))
      return field.type === 'Json' ? random.pick([Prisma.DbNull, Prisma.JsonNull]) : null
    return valueOf(random, model.name, field)
  }

  // ---- names ----

  #fieldName(model: Model): string {
    return this.#random.pick(Object.keys(model.fields))
  }

  #relationName(model: Model): string {
    return this.#random.pick([...Object.keys(model.relations), 'nothing'])
  }

  #shuffled<T>(list: readonly T[]): T[] {
    const left = [...list]
    const shuffled: T[] = []
    while (left.length > 0) shuffled.push(...left.splice(this.#random.below(left.length), 1))
    return shuffled
  }
}
