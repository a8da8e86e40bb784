import {
  type AnyModelCacheDefinition,
  type CacheOptions,
  createDefinition,
  defineModelCache as defineByHand,
  type DefinitionOptions,
  type ModelCacheDefinition,
} from '../cache/policy/definition.js'
import type { KeyFields, KeyScalars } from '../cache/policy/lookup-options.js'
import type { RowSchema } from '../codec/row-schema.js'
import type { ExactSchema } from '../codec/exact-schema.js'
import type {
  AnyTypeMap,
  DefaultKey,
  Flat,
  IdOfKey,
  IncludeOf,
  IsUnion,
  Known,
  ModelName,
  OmitOf,
  RowOf,
  SelectOf,
  UniqueKeys,
} from '../source/prisma/model-types.js'
import type { ManyToMany, UniqueFields } from '../source/prisma/lookup-types.js'
import type { DerivedKeys, DerivedLookups } from './derived-lookups.js'

/** `omit` of fields that the client may not have: {@link Known} has a sentence for each. */
type Flags = Readonly<Record<string, boolean>>
type Types = Readonly<Record<string, RowSchema>>

/** The row that a definition selects. */
type Selected<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>, Select, Include, Omit> = RowOf<
  TypeMap,
  Model,
  Given<'select', Select, SelectOf<TypeMap, Model>> &
    Given<'include', Include, IncludeOf<TypeMap, Model>> &
    Given<'omit', Omit, OmitOf<TypeMap, Model>>
>

/** An option that a definition does not have is inferred as everything that it may be, from which editors complete it. */
type Given<Name extends string, Option, Whole> = [Whole] extends [Option] ? unknown : { [K in Name]: Option }

/** The row of a definition. */
type DefinedRow<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
  Select,
  Include,
  Omit,
  Refine,
> = [keyof Refine] extends [never]
  ? Selected<TypeMap, Model, Select, Include, Omit>
  : Refined<Selected<TypeMap, Model, Select, Include, Omit>, Refine>

type Refined<Row, Refine> = Flat<{
  [Field in keyof Row]: Field extends keyof Refine
    ? Refine[Field] extends RowSchema
      ? Refine[Field]['infer']
      : never
    : Row[Field]
}>

/** The types in `refine`, or a sentence at each that the row does not allow. */
type Refinements<Refine, Row> = {
  readonly [Field in keyof Refine]: Field extends keyof Row
    ? Refine[Field] extends RowSchema
      ? IsNarrower<Refine[Field]['infer'], Row[Field]> extends true
        ? Refine[Field]
        : `the type is not narrower than that of "${Field & string}" in Prisma`
      : never
    : `the row has no field "${Field & string}"`
}

/** Any type may take the place of JSON. */
type IsNarrower<T, Of> = T extends Of ? true : { readonly [key: string]: unknown } extends Of ? true : false

/** The options of a cache whose rows come from the Prisma schema. */
export type DerivedCacheOptions<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
  Select,
  Include,
  Omit,
  Refine,
  Schema extends RowSchema,
  Key,
  Unique,
  Lists,
> = CacheOptions & {
  /** Prisma's `select`: the fields of the row, and relations. @default all fields except those omitted */
  readonly select?: Known<Select, SelectOf<TypeMap, Model>, Model>
  /** Prisma's `include`: relations, in addition to all fields. */
  readonly include?: Known<Include, IncludeOf<TypeMap, Model>, Model>
  /** Prisma's `omit`: fields that are not cached. @default the `omit` of the client, and fields marked `/// @cache(omit)` */
  readonly omit?: Known<Omit, OmitOf<TypeMap, Model>, Model>
  /** ArkTypes of single fields, used instead of the derived ones: `{ images: type({ url: 'string' }).array() }`. */
  readonly refine?: Refine &
    Refinements<Refine, Selected<TypeMap, Model, Select, Include, Omit>> & {
      readonly [Field in keyof Selected<TypeMap, Model, Select, Include, Omit>]?: unknown
    }
  /** An ArkType schema by hand, in place of the derived one. Does not compile unless it is exactly the row. */
  readonly schema?: ExactSchema<Selected<TypeMap, Model, Select, Include, Omit>, Schema>
} & IdOption<TypeMap, Model, Key> &
  DerivedLookups<TypeMap, Model, DefinedRow<TypeMap, Model, Select, Include, Omit, Refine>, Unique, Lists>

/**
 * Required if the model has several unique keys, none of which is `id`. Not one of two types: for a union, the compiler would list the unique
 * keys of each model.
 */
type IdOption<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>, Key> = {
  /**
   * The unique key by which rows are read, as `where` of `findUnique` names it. Required if there are several, none of them `id`.
   * @default `'id'`, or the only one
   */
  readonly id?: Key extends keyof UniqueKeys<TypeMap, Model> ? Key : keyof UniqueKeys<TypeMap, Model>
} & { readonly [Name in RequiredOption<TypeMap, Model>]: unknown }

type RequiredOption<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = [
  DefaultKey<TypeMap, Model>,
] extends [never]
  ? 'id'
  : never

/** Defines the caches of an application. A named type, so that modules which export the function can have declarations. */
export interface DefineModelCache<TypeMap extends AnyTypeMap> {
  /**
   * Defines the cache of a Prisma model. When the application starts, the library derives its rows and its id from the Prisma
   * schema.
   *
   * @param model the name of the model, as in the Prisma schema
   * @throws ConfigurationError
   * @example
   * ```ts
   * export const lotCache = defineModelCache('AuctionItem', { ttl: '10m' })
   * export const userCache = defineModelCache('User', { ttl: '5m', omit: { passwordHash: true } })
   * ```
   */
  <
    // Not by an alias: the compiler prints the names of the models.
    Model extends keyof TypeMap['model'] & string,
    Select extends SelectOf<TypeMap, Model> = SelectOf<TypeMap, Model>,
    Include extends IncludeOf<TypeMap, Model> = IncludeOf<TypeMap, Model>,
    Omit extends OmitOf<TypeMap, Model> | Flags = OmitOf<TypeMap, Model>,
    Refine extends Types = Record<never, never>,
    Schema extends RowSchema = never,
    Key extends string = DefaultKey<TypeMap, Model> & string,
    const Unique extends {
      // An index, which the compiler prints as the keys themselves.
      readonly [Name in keyof Unique]: UniqueFields<
        TypeMap,
        Model,
        keyof KeyScalars<DefinedRow<TypeMap, Model, Select, Include, Omit, Refine>>
      >[keyof UniqueFields<TypeMap, Model, unknown>]
    } = Record<never, never>,
    const Lists extends {
      readonly [Name in keyof Lists]:
        | KeyFields<keyof KeyScalars<DefinedRow<TypeMap, Model, Select, Include, Omit, Refine>>>
        | ManyToMany<TypeMap, Model>
    } = Record<never, never>,
  >(
    model: Model,
    options: DerivedCacheOptions<TypeMap, Model, Select, Include, Omit, Refine, Schema, Key, Unique, Lists>,
  ): IsUnion<Model> extends true
    ? AnyModelCacheDefinition // of an unknown model, whose error is the only one then
    : ModelCacheDefinition<
        DefinedRow<TypeMap, Model, Select, Include, Omit, Refine>,
        IdOfKey<TypeMap, Model, Key>,
        DerivedKeys<TypeMap, Model, DefinedRow<TypeMap, Model, Select, Include, Omit, Refine>, Unique, Lists>
      >

  /**
   * Defines the cache of rows that are described by hand: by a `schema`, and by a `load` if they are not those of a Prisma model. The
   * compiler checks that the schema is exactly `Row`.
   *
   * @throws ConfigurationError
   * @example
   * ```ts
   * export const rateCache = defineModelCache<Rate>()({
   *   model: 'Rate',
   *   schema: type({ currency: 'string', rate: 'number' }),
   *   id: 'currency',
   *   ttl: '1h',
   *   dependsOn: [],
   *   load: (_, currencies) => fetchRates(currencies),
   * })
   * ```
   */
  <Row>(): ReturnType<typeof defineByHand<Row>>
}

/** While the client is not generated, its missing import is the only error: the types of the rows are not known. */
interface DefineUntypedModelCache {
  // eslint-disable-next-line typescript/no-explicit-any -- what it may be is not known
  (model: string, options: any): AnyModelCacheDefinition
  <Row>(): ReturnType<typeof defineByHand<Row>>
}

type IsAny<T> = 0 extends T & 1 ? true : false

/**
 * Returns `defineModelCache` for the models of a generated Prisma client. Call it once per client.
 *
 * @example
 * ```ts
 * import type { Prisma } from './generated/prisma/client.js'
 * export const { defineModelCache } = modelCaches<Prisma.TypeMap>()
 * ```
 */
export function modelCaches<TypeMap extends AnyTypeMap = never>(): {
  defineModelCache: IsAny<TypeMap> extends true ? DefineUntypedModelCache : DefineModelCache<TypeMap>
} {
  const define = (...given: [] | [model: string, options: object]): unknown => {
    if (given.length === 0) return defineByHand()
    const [model, options] = given
    return createDefinition({ ...(options as Omit<DefinitionOptions<never, never>, 'model'>), model })
  }
  return { defineModelCache: define as ReturnType<typeof modelCaches<TypeMap>>['defineModelCache'] }
}
