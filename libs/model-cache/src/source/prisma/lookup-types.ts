import type { AnyTypeMap, KeyNames, ModelName, PayloadOf, ScalarsOf, WhereOf } from './model-types.js'

/**
 * The fields of each unique key of a model by its name, also of keys that some rows lack: `'id'`, or `['orgId', 'slug']` in any order.
 * Without keys that have other fields than `Field`.
 */
export type UniqueFields<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>, Field> = {
  [Key in KeyNames<TypeMap, Model> & string]: Key extends keyof ScalarsOf<TypeMap, Model>
    ? Key & Field
    : FieldsOf<WhereOf<TypeMap, Model>, Key> extends Field
      ? InAnyOrder<FieldsOf<WhereOf<TypeMap, Model>, Key>>
      : never
}

/** The fields of a key of several. */
type FieldsOf<Where, Key> = Where extends { readonly [K in Key & string]?: infer Input }
  ? keyof NonNullable<Input>
  : never

/** Beyond four fields, the start of the application checks the rest: all orders of eight would be 40,320. */
type InAnyOrder<Fields, Before extends readonly unknown[] = [], Field = Fields> = [Fields] extends [never]
  ? readonly []
  : Before['length'] extends 4
    ? readonly Fields[]
    : Field extends unknown
      ? readonly [Field, ...InAnyOrder<Exclude<Fields, Field>, [...Before, Field]>]
      : never

type RelationsOf<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = PayloadOf<
  TypeMap,
  Model
>['objects']

/** The relation fields of a model that are lists at both sides. */
export type ManyToMany<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>> = {
  [Field in keyof RelationsOf<TypeMap, Model> & string]: RelationsOf<TypeMap, Model>[Field] extends readonly {
    readonly objects: infer Back
  }[]
    ? [Extract<Back[keyof Back], readonly { readonly name: Model }[]>] extends [never]
      ? never
      : Field
    : never
}[keyof RelationsOf<TypeMap, Model> & string]

/** The id of the rows at the other side of a relation. The types do not say which unique key it is unless it is named `id`. */
export type RelatedId<TypeMap extends AnyTypeMap, Model extends ModelName<TypeMap>, Field> = RelationsOf<
  TypeMap,
  Model
>[Field & keyof RelationsOf<TypeMap, Model>] extends readonly {
  readonly name: infer Target extends ModelName<TypeMap>
}[]
  ? SingleId<ScalarsOf<TypeMap, Target>, KeyNames<TypeMap, Target>>
  : never

type SingleId<Scalars, Key> = 'id' extends Key & keyof Scalars
  ? Scalars['id' & keyof Scalars]
  : { [K in Key & keyof Scalars]: [Extract<Scalars[K], null>] extends [never] ? Scalars[K] : never }[Key &
      keyof Scalars]
