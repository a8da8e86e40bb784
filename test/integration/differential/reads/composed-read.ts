/** Generates reads that caches answer by more than a key: conditions beside it, pages of lists, counts, and relations three levels deep. */
import type { Random } from '../random.ts'
import type { TestLookup } from './lookups.ts'
import { type Field, type Model, type Relation, valueOf } from './models.ts'
import type { ReadDialect } from './read-dialects.ts'
import type { Args, Query } from './query.ts'
import { ascending, type ReadShapes } from './lookup-read.ts'

/** The fields of the other side that make up the key of a relation, or the field for the relation there. */
const keysOfRelations: Readonly<Record<string, readonly string[]>> = {
  'Article.topics': ['articles'],
  'Topic.articles': ['topics'],
  'Person.reports': ['bossId'],
  'Person.articles': ['authorId'],
  'Person.reviews': ['personId'],
  'Article.reviews': ['articleId'],
  'Team.fans': ['teamName'],
  'Rate.fans': ['paid'],
}

export class ComposedReads {
  readonly #random: Random
  readonly #dialect: ReadDialect
  readonly #shapes: ReadShapes

  constructor(random: Random, dialect: ReadDialect, shapes: ReadShapes) {
    this.#random = random
    this.#dialect = dialect
    this.#shapes = shapes
  }

  read(): Query {
    const random = this.#random
    const isOfList = random.chance(45)
    const lookup = random.pick(this.#dialect.lookups.filter(({ kind }) => kind === 'list'))
    const model = isOfList
      ? this.#dialect.models[lookup.model]!
      : random.pick(
          [
            'Person',
            'Article',
            'Topic',
            'Review',
            'Pass',
            'Seat',
            'Word',
            'Everything',
            'Maybe',
            'Maybe',
            'Fan',
            'Team',
            'Rate',
            'Name',
          ].map((name) => this.#dialect.models[name]!),
        )
    const { operation, args } = isOfList ? this.#ofList(model, lookup) : this.#ofKey(model)
    return {
      model: model.name,
      operation,
      args: operation === 'count' ? args : { ...args, ...this.#projection(model, 3) },
    }
  }

  #ofKey(model: Model): { operation: string; args: Args } {
    const random = this.#random
    const { fields, name } = random.pick(model.unique)
    const key = (): Args =>
      Object.fromEntries(fields.map((field) => [field, valueOf(random, model.name, model.fields[field]!)]))
    const operation = random.pick([
      'findUnique',
      'findUnique',
      'findFirst',
      'findMany',
      'findMany',
      'findUniqueOrThrow',
      'count',
    ])
    const others = this.#conditions(model)
    const relation = random.pick([...Object.values(model.relations), undefined])
    if (relation && !operation.startsWith('findUnique') && random.chance(20)) {
      const where = { ...this.#byRelated(relation), ...others }
      return { operation, args: operation === 'count' ? { where } : { where, ...this.#orderAndPage(model) } }
    }
    if (operation.startsWith('findUnique'))
      return {
        operation,
        args: { where: { ...(fields.length === 1 ? key() : { [name]: key() }), ...others } },
      }
    const keys = [key(), ...random.list(4, key)]
    const named =
      fields.length === 1 && random.chance(70)
        ? { [fields[0]!]: { in: keys.map((each) => each[fields[0]!]) } }
        : random.pick<Args>([{ OR: keys }, keys[0]!])
    const where = random.chance(80) ? { ...named, ...others } : { AND: [named, others] }
    return { operation, args: operation === 'count' ? { where } : { where, ...this.#orderAndPage(model) } }
  }

  /** Rows that are found by keys of those of a relation. */
  #byRelated({ isList, name, to }: Relation): Args {
    const random = this.#random
    const target = this.#dialect.models[to]!
    const { fields } = random.pick(target.unique)
    const key = (): Args =>
      Object.fromEntries(fields.map((field) => [field, valueOf(random, to, target.fields[field]!)]))
    const inner = random.pick<() => Args>([
      key,
      () => ({ ...key(), ...this.#conditions(target, 1) }),
      () => ({ OR: [key(), key()] }),
    ])()
    return { [name]: isList ? { some: inner } : random.chance(50) ? inner : { is: inner } }
  }

  #ofList(
    model: Model,
    { by, limit, orderBy, through, where: own }: TestLookup,
  ): { operation: string; args: Args } {
    const random = this.#random
    const holder = through === undefined ? model : this.#dialect.models[model.relations[through]!.to]!
    const value = (name: string): unknown => valueOf(random, holder.name, holder.fields[name]!)
    const fields: Args = Object.fromEntries(
      by.map((name) => [
        name,
        random.pick<unknown>([
          value(name),
          value(name),
          { equals: value(name) },
          { in: [value(name), value(name)] },
        ]),
      ]),
    )
    const others = random.chance(limit === undefined ? 60 : 15) ? this.#conditions(model) : {}
    const key = through === undefined ? this.#keyOrLink(model, fields) : { [through]: { some: fields } }
    const where = random.pick<Args>([
      { ...key, ...own, ...others },
      { ...others, ...own, ...key },
      { AND: [key, own], ...others },
    ])
    const operation = random.pick([
      'findMany',
      'findMany',
      'findMany',
      'findFirst',
      'findFirstOrThrow',
      'count',
    ])
    if (operation === 'count') return { operation, args: { where } }
    const total = totalOrder(model, orderBy)
    const page =
      limit === undefined
        ? this.#orderAndPage(model, total)
        : { orderBy: total, take: random.below(limit + 1) + 1 }
    if (operation !== 'findMany') delete (page as Args).take
    return { operation, args: { where, ...page } }
  }

  /** The fields of a key, or a condition on the row that they lead to. */
  #keyOrLink(model: Model, fields: Args): Args {
    const random = this.#random
    const [[name, value], ...others] = Object.entries(fields) as [[string, unknown]]
    const relation = model.relations[name.replace(/Id$/, '')]
    if (!relation || others.length > 0 || random.chance(60)) return fields
    const inner = {
      id: value,
      ...(random.chance(40) && this.#conditions(this.#dialect.models[relation.to]!, 0)),
    }
    return { [relation.name]: random.chance(50) ? inner : { is: inner } }
  }

  #orderAndPage(model: Model, own?: readonly object[]): Args {
    const random = this.#random
    const args: Args = {}
    if (random.chance(own ? 85 : 50)) {
      const field = random.pick(Object.values(model.fields))
      const direction = random.pick(['asc', 'desc'])
      const sorted = {
        [field.name]:
          field.isNullable && random.chance(60)
            ? { sort: direction, nulls: random.pick(['first', 'last']) }
            : direction,
      }
      args.orderBy = own && random.chance(60) ? own : totalOrder(model, [sorted])
      if (random.chance(30)) args.take = random.below(4)
      if (random.chance(20)) args.skip = random.below(3)
      if (random.chance(15)) {
        const { fields, name } = model.unique[0]!
        const id = Object.fromEntries(
          fields.map((each) => [each, valueOf(random, model.name, model.fields[each]!)]),
        )
        args.cursor = fields.length === 1 ? id : { [name]: id }
      }
    }
    return args
  }

  #conditions(model: Model, depth = 2): Args {
    const random = this.#random
    const relations = Object.values(model.relations)
    const related = (): Args => this.#onRelation(random.pick(relations), depth - 1)
    const fields = Object.values(model.fields).filter(
      ({ isList, isOmitted, type }) => !isList && !isOmitted && type !== 'Json',
    )
    const some = (): Args =>
      Object.fromEntries(
        [random.pick(fields), ...random.list(1, () => random.pick(fields))].map((field) => [
          field.name,
          this.#condition(model, field, 2),
        ]),
      )
    return random.pick<() => Args>([
      () => ({}),
      some,
      some,
      some,
      () => ({ NOT: some() }),
      () => ({ NOT: [some(), some()] }),
      () => ({ AND: [some(), { OR: [some(), some()] }] }),
      () => ({ AND: { NOT: { OR: [some(), { NOT: some() }] } } }),
      ...(relations.length > 0 && depth > 0
        ? [
            related,
            related,
            () => ({ ...related(), ...some() }),
            () => ({ NOT: related() }),
            () => ({ OR: [related(), some()] }),
            () => ({ AND: [related(), { NOT: [related(), some()] }] }),
          ]
        : []),
    ])()
  }

  /** A condition on the rows of a relation, often with the field of a key or a condition that a list has. */
  #onRelation({ isList, name, to }: Relation, depth: number): Args {
    const random = this.#random
    const target = this.#dialect.models[to]!
    const field = random.pick(
      Object.values(target.fields).filter((each) => !each.isList && each.type !== 'Json'),
    )
    const inner = (): unknown =>
      random.pick<() => unknown>([
        () => ({}),
        () => ({ [field.name]: valueOf(random, to, field) }),
        () => ({ [field.name]: this.#condition(target, field, 1) }),
        () => this.#conditions(target, depth),
        () => this.#conditions(target, depth),
      ])()
    if (isList) {
      const of = (): Args => ({ [random.pick(['some', 'none', 'every'])]: inner() })
      return { [name]: random.chance(90) ? of() : { ...of(), ...of() } }
    }
    return {
      [name]: random.pick<() => unknown>([
        inner,
        () => ({ is: inner() }),
        () => ({ isNot: inner() }),
        () => null,
        () => ({ [random.pick(['is', 'isNot'])]: null }),
        () => ({ is: inner(), isNot: inner() }),
      ])(),
    }
  }

  #condition(model: Model, field: Field, depth: number): unknown {
    const random = this.#random
    const value = (): unknown => valueOf(random, model.name, field)
    const forms: (() => unknown)[] = [value, () => ({ equals: value() }), () => ({ not: value() })]
    if (field.isNullable)
      forms.push(
        () => null,
        () => ({ not: null }),
        () => ({ equals: null }),
      )
    if (field.type !== 'Boolean')
      forms.push(
        () => ({ in: random.list(3, value) }),
        () => ({ notIn: random.list(3, value) }),
      )
    if (/Int|Decimal|DateTime|Float/.test(field.type))
      forms.push(
        () => ({ [random.pick(['lt', 'lte', 'gt', 'gte'])]: value() }),
        () => ({ gte: value(), lt: value() }),
      )
    if (depth > 0)
      forms.push(() => {
        const inner = this.#condition(model, field, depth - 1)
        return inner !== null && Object.getPrototypeOf(inner) === Object.prototype
          ? { not: inner }
          : { not: inner }
      })
    return random.pick(forms)()
  }

  #projection(model: Model, depth: number): Args {
    const random = this.#random
    const related = depth > 0 && random.chance(75) ? this.#related(model, depth) : {}
    const base = this.#shapes.projection(model)
    if (Object.keys(related).length === 0) return base
    if (!base.select) return { include: related, ...base }
    const entries = [...Object.entries(base.select), ...Object.entries(related)]
    return { select: Object.fromEntries(random.chance(50) ? entries : entries.toReversed()) }
  }

  #related(model: Model, depth: number): Args {
    const random = this.#random
    const relations = Object.values(model.relations).filter(({ to }) => to !== 'Tag' || random.chance(5))
    const chosen = relations.filter(() => random.chance(40))
    const entries = chosen.map((relation) => [relation.name, this.#ofRelation(model, relation, depth - 1)])
    const lists = relations.filter(({ isList }) => isList)
    if (lists.length > 0 && random.chance(15)) {
      const counted = random.pick(lists)
      const where = random.chance(40) ? { where: this.#conditions(this.#dialect.models[counted.to]!) } : true
      entries.push(['_count', { select: { [counted.name]: where } }])
    }
    return Object.fromEntries(entries) as Args
  }

  #ofRelation(model: Model, { isList, name, to }: Relation, depth: number): unknown {
    const random = this.#random
    const target = this.#dialect.models[to]!
    const args = this.#projection(target, depth)
    if (!isList) return Object.keys(args).length === 0 ? true : args
    const by = keysOfRelations[`${model.name}.${name}`]
    const lists = this.#dialect.lookups.filter(
      (lookup) =>
        lookup.kind === 'list' && lookup.model === to && (lookup.through ?? lookup.by.join()) === by?.join(),
    )
    const unique = target.unique.find(({ fields }) => by?.every((field) => fields.includes(field)))
    if (unique && random.chance(25)) {
      const left = unique.fields.filter((field) => !by!.includes(field))
      const rest = left.map((field) => [field, valueOf(random, to, target.fields[field]!)])
      const where = { ...Object.fromEntries(rest), ...(random.chance(40) && this.#conditions(target)) }
      return { where, ...(random.chance(30) && this.#orderAndPage(target)), ...args }
    }
    if (lists.length === 0) return args
    const { limit, orderBy, where } = random.pick(lists)
    const others = random.chance(30) && limit === undefined ? this.#conditions(target) : {}
    const page =
      limit === undefined
        ? this.#orderAndPage(target, totalOrder(target, orderBy))
        : { orderBy: totalOrder(target, orderBy), take: limit }
    const all = { ...where, ...others }
    return { ...(Object.keys(all).length > 0 && { where: all }), ...page, ...args }
  }
}

/** An order in which no two rows are equal. */
function totalOrder(model: Model, orderBy: readonly object[]): readonly object[] {
  const ordered = orderBy.flatMap((entry) => Object.keys(entry))
  return [...orderBy, ...model.unique[0]!.fields.filter((field) => !ordered.includes(field)).map(ascending)]
}
