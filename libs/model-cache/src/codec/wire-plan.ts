/** The kinds of values that JSON cannot say and that are brought back by declared path. */
export type ScalarName = 'date' | 'decimal' | 'bigint' | 'bytes'

/** What every part of the codec needs of a decimal class; decimal.js and Prisma.Decimal have it. */
export interface DecimalConstructor {
  new (value: string): object
  isDecimal(value: unknown): boolean
}

/** Where a value may be null or undefined besides what its kind says. */
interface Absence {
  readonly nullable: boolean
  readonly undefinable: boolean
}

/**
 * The wire plan: a small tree that says, for each place in a row, what stands there. It is compiled once from an
 * ArkType schema, and everything else in the codec is compiled from it and from nothing else.
 */
export type WirePlan = Absence &
  (
    | { readonly kind: 'string' | 'number' | 'boolean' | 'date' | 'bigint' | 'bytes' }
    | { readonly kind: 'decimal'; readonly Decimal: DecimalConstructor }
    /** One of a few constants. */
    | { readonly kind: 'literal'; readonly values: readonly Constant[] }
    /** Anything that JSON can say, passed through: a Prisma `Json` field, or a union of plain values. */
    | { readonly kind: 'json' }
    | { readonly kind: 'object'; readonly fields: readonly PlanField[] }
    | { readonly kind: 'array'; readonly items: WirePlan }
    | { readonly kind: 'tuple'; readonly items: readonly WirePlan[] }
    /** An object with open keys. */
    | { readonly kind: 'record'; readonly values: WirePlan }
    /** One of several objects, told apart by the constants of one field, the discriminator, which each of them has. */
    | { readonly kind: 'union'; readonly discriminator: string; readonly branches: readonly UnionBranch[] }
  )

export type PlanOf<K extends WirePlan['kind']> = WirePlan & { readonly kind: K }

export type Constant = string | number | boolean

export interface UnionBranch {
  /** What the discriminator is in this branch; other branches have other constants. */
  readonly constants: readonly Constant[]
  /** An object, or a union of objects that another field tells apart. */
  readonly plan: PlanOf<'object' | 'union'>
}

export interface PlanField {
  readonly name: string
  readonly optional: boolean
  readonly plan: WirePlan
}

/** A place in a row: field names, array positions. */
export type Path = readonly (string | number)[]

/** The path segments that stand for every element of an array and every value of an open record. */
export const arraySegment = '__ARRAY__'
export const recordSegment = '__RECORD__'

/** Joins a path for people: `items.3.endsAt`. */
export function showPath(path: Path): string {
  return path.join('.')
}
