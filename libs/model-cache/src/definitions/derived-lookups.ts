import type { KeyOf, ListOptions, RelatedListOptions, UniqueOptions } from '../cache/policy/lookup-options.js'
import type { ManyToMany, RelatedId } from '../source/prisma/lookup-types.js'
import type { AnyTypeMap, ModelName } from '../source/prisma/model-types.js'

/** The lookups of a definition whose rows are derived from the Prisma schema. */
export interface DerivedLookups<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
  Row,
  Unique,
  Lists,
> {
  /**
   * Further keys by which `cache.getBy` reads rows, under names of your choice: `{ place: ['fundraiserId', 'lot'] }`. Each is a
   * `@unique` or `@@unique` of the model.
   */
  readonly unique?: { readonly [Name in keyof Unique]: UniqueOptions<Unique[Name]> }
  /**
   * Lists of rows that `cache.list` reads, under names of your choice:
   * `{ ofFundraiser: { by: 'fundraiserId', orderBy: [{ lot: 'asc' }] } }`.
   */
  readonly lists?: {
    readonly [Name in keyof Lists]: DerivedList<Row, Lists[Name], ManyToMany<TypeMap, Model>>
  }
}

type DerivedList<Row, By, Relation> = [Relation] extends [never]
  ? ListOptions<Row, By>
  : | (ListOptions<Row, By & NoRelation<By, Relation>> & { readonly through?: undefined })
    | (RelatedListOptions<Row, By & IsRelation<By, Relation>> & { readonly by?: undefined })

/** Both are inferred by one type parameter, so each refuses what is meant for the other. */
type NoRelation<By, Relation> = By extends Relation
  ? { readonly error: `"${By & string}" is a relation, which is named in \`through\`` }
  : unknown
type IsRelation<By, Relation> = By extends Relation
  ? unknown
  : { readonly error: `"${By & string}" is not an implicit many-to-many relation` }

/** The keys of these lookups. */
export interface DerivedKeys<
  TypeMap extends AnyTypeMap,
  Model extends ModelName<TypeMap>,
  Row,
  Unique,
  Lists,
> {
  readonly unique: { readonly [Name in keyof Unique]: KeyOf<Row, Unique[Name]> }
  readonly lists: {
    readonly [Name in keyof Lists]: Lists[Name] extends ManyToMany<TypeMap, Model>
      ? RelatedId<TypeMap, Model, Lists[Name]>
      : KeyOf<Row, Lists[Name]>
  }
}
