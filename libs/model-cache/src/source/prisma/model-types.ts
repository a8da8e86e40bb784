import type { Types } from '@prisma/client/runtime/client'

/** `Prisma.TypeMap` of a generated client. */
export interface AnyTypeMap {
  readonly globalOmitOptions: { readonly omit: unknown }
  readonly model: Readonly<Record<string, AnyModelTypes>>
}

interface AnyModelTypes {
  // eslint-disable-next-line typescript/no-explicit-any -- as Prisma declares it
  readonly payload: any
  readonly operations: { readonly findUnique: { readonly args: object } }
}

/** `'User' | 'AuctionItem'`. */
export type ModelName<TypeMap extends AnyTypeMap> = keyof TypeMap['model'] & string

type ArgsOf<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
> = TypeMap['model'][Model]['operations']['findUnique']['args']

/** What Prisma knows of a model's rows: its `scalars`, and its relations as `objects`. */
export type PayloadOf<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
> = TypeMap['model'][Model]['payload']

type Option<Args, Name extends string> = Args extends { readonly [K in Name]?: infer T }
  ? NonNullable<T>
  : never

/** What `select` of a model may be. */
export type SelectOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = Option<
  ArgsOf<TypeMap, Model>,
  'select'
>
/** What `include` of a model may be. */
export type IncludeOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = Option<
  ArgsOf<TypeMap, Model>,
  'include'
>
/** What `omit` of a model may be. */
export type OmitOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = Option<
  ArgsOf<TypeMap, Model>,
  'omit'
>

/** The row that Prisma returns for a selection: the type that `GetPayload` has. Without one it is found from the fields, at a third of the cost. */
export type RowOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>, Args> = [
  unknown,
  keyof OmitOfClient<TypeMap>,
  keyof PayloadOf<TypeMap, Model>['composites'],
] extends [Args, never, never]
  ? Flat<ScalarsOf<TypeMap, Model>>
  : Types.Result.GetFindResult<PayloadOf<TypeMap, Model>, Args, TypeMap['globalOmitOptions']>

/** The fields that the client omits from all results. */
type OmitOfClient<TypeMap extends AnyTypeMap> = TypeMap['globalOmitOptions']['omit']

/** Shows one object in a hover instead of an intersection. */
export type Flat<T> = T extends infer U ? { [K in keyof U]: U[K] } : never

export type ScalarsOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = PayloadOf<
  TypeMap,
  Model
>['scalars']

/** `where` of `findUnique`. */
export type WhereOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> =
  ArgsOf<TypeMap, Model> extends {
    readonly where: infer Where
  }
    ? Where
    : never

type IdScalar = string | number | bigint | Date

/** The names of the unique keys of a model, one of which `where` of `findUnique` requires. */
export type KeyNames<TypeMap extends AnyTypeMap, Model> =
  // The condition distributes over models, where the compiler does not know yet which one it is.
  Model extends ModelName<TypeMap> ? RequiredKeys<Together<WhereOf<TypeMap, Model>>> : never

/** Not by `undefined extends T[K]`, which holds for every key where `strictNullChecks` is off. */
type RequiredKeys<T> = keyof { [K in keyof T as {} extends Pick<T, K> ? never : K]: never }

/** The intersection of a union, whose keys are checked once instead of once for each member. */
type Together<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer Member,
) => void
  ? Member
  : never

/** The unique keys of a model by the names that `where` of `findUnique` has for them: `'id'`, `'orgId_slug'`. */
export type UniqueKeys<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = {
  [
    K in KeyNames<TypeMap, Model> & string as [IdOfKey<TypeMap, Model, K>] extends [never] ? never : K
  ]: IdOfKey<TypeMap, Model, K>
}

/** The id of a row by a unique key: the value of its field, or an object of several; never if some rows do not have one. */
export type IdOfKey<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
  Key,
> = Key extends keyof ScalarsOf<TypeMap, Model>
  ? Extract<ScalarsOf<TypeMap, Model>[Key], null> extends never
    ? ScalarsOf<TypeMap, Model>[Key] extends IdScalar
      ? ScalarsOf<TypeMap, Model>[Key]
      : never
    : never
  : Key extends keyof WhereOf<TypeMap, Model>
    ? CompoundId<ScalarsOf<TypeMap, Model>, NonNullable<WhereOf<TypeMap, Model>[Key]>>
    : never

type CompoundId<Scalars, Input> = keyof Input extends keyof Scalars
  ? Scalars[keyof Input] extends IdScalar
    ? { readonly [K in keyof Input]: Scalars[K & keyof Scalars] }
    : never
  : never

/** The unique key that is the id unless a definition names one: `id`, or the only one. */
export type DefaultKey<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = [
  Extract<WhereOf<TypeMap, Model>, { readonly id: IdScalar }>,
] extends [never]
  ? OnlyKey<keyof UniqueKeys<TypeMap, Model>>
  : 'id'

type OnlyKey<Keys> = IsUnion<Keys> extends true ? never : Keys

export type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never

/** A selection whose unknown keys, at any depth, are of a type that no value has and whose name the compiler prints. */
export type Known<Given, Allowed, Model extends string> = Given & Unknown<Given, Allowed, Model>

/** The error is an object, since the compiler reduces an intersection of different constants to `never`, and prints nothing. */
type Unknown<Given, Allowed, Name extends string> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: {
    readonly error: `${Name} has no field "${K & string}"; if the Prisma schema has it, run \`prisma generate\``
  }
} & {
  readonly [K in keyof Given & keyof Allowed as Given[K] extends object ? K : never]: UnknownWithin<
    Given[K],
    Extract<Allowed[K], object>,
    K & string
  >
}

type UnknownWithin<Given, Allowed, Name extends string> = {
  readonly [O in keyof Given & keyof Allowed & ('select' | 'include' | 'omit')]: Unknown<
    Given[O],
    NonNullable<Allowed[O]>,
    Name
  >
}
