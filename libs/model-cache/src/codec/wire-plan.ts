/** The kinds of values that JSON cannot represent, which are revived by declared path. */
export type ScalarName = 'date' | 'decimal' | 'bigint' | 'bytes'

/** The members of a decimal class that the codec uses; decimal.js and Prisma.Decimal have them. */
export interface DecimalConstructor {
  new (value: string): object
  isDecimal(value: unknown): boolean
}

/** Whether a value may be null or undefined, in addition to its kind. */
interface Nullability {
  readonly nullable: boolean
  readonly undefinable: boolean
}

/**
 * The wire plan: a tree that describes the value at each place of a row. It is compiled once from an ArkType schema, or derived
 * from that of Prisma; everything else in the codec is compiled from the plan alone.
 */
export type WirePlan = Nullability &
  (
    | { readonly kind: 'string' | 'number' | 'boolean' | 'date' | 'bigint' | 'bytes' }
    | {
        readonly kind: 'decimal'
        readonly Decimal: DecimalConstructor
        /** Whether no two values share a decimal. @default equal ones may, as decimals do not change */
        readonly isOwn?: boolean
      }
    /** One of a few constants. */
    | { readonly kind: 'literal'; readonly values: readonly Constant[] }
    /** Any JSON, passed through: a Prisma `Json` field, or a union of plain values. */
    | { readonly kind: 'json' }
    /** The order of the fields is that of the keys of a row. The payload does not depend on it. */
    | { readonly kind: 'object'; readonly fields: readonly PlanField[] }
    | { readonly kind: 'array'; readonly items: WirePlan }
    | { readonly kind: 'tuple'; readonly items: readonly WirePlan[] }
    /** An object with open keys. */
    | { readonly kind: 'record'; readonly values: WirePlan }
    /** One of several objects, distinguished by the constants of a field that all of them have, the discriminator. */
    | { readonly kind: 'union'; readonly discriminator: string; readonly branches: readonly UnionBranch[] }
  )

export type PlanOf<K extends WirePlan['kind']> = WirePlan & { readonly kind: K }

export type Constant = string | number | boolean

export interface UnionBranch {
  /** Values of the discriminator in this branch, which no other branch has. */
  readonly constants: readonly Constant[]
  /** An object, or a union of objects with another discriminator. */
  readonly plan: PlanOf<'object' | 'union'>
}

export interface PlanField {
  readonly name: string
  readonly optional: boolean
  readonly plan: WirePlan
}

/** The plans of what values of a plan consist of: fields, items, entries or branches. */
export function partsOf(plan: WirePlan): readonly WirePlan[] {
  switch (plan.kind) {
    case 'object':
      return plan.fields.map((field) => field.plan)
    case 'array':
      return [plan.items]
    case 'tuple':
      return plan.items
    case 'record':
      return [plan.values]
    case 'union':
      return plan.branches.map((branch) => branch.plan)
    default:
      return []
  }
}

/** Returns a plan with other {@link partsOf}. */
export function withParts(plan: WirePlan, change: (part: WirePlan) => WirePlan): WirePlan {
  switch (plan.kind) {
    case 'object':
      return { ...plan, fields: plan.fields.map((field) => ({ ...field, plan: change(field.plan) })) }
    case 'array':
      return { ...plan, items: change(plan.items) }
    case 'tuple':
      return { ...plan, items: plan.items.map(change) }
    case 'record':
      return { ...plan, values: change(plan.values) }
    case 'union':
      return {
        ...plan,
        branches: plan.branches.map((branch) => ({
          ...branch,
          plan: change(branch.plan) as typeof branch.plan,
        })),
      }
    default:
      return plan
  }
}

/** A place in a row: field names, array positions. */
export type Path = readonly (string | number)[]

/** Path segments for every element of an array and every value of an open record. */
export const arraySegment = '__ARRAY__'
export const recordSegment = '__RECORD__'

/** Formats a path for messages: `items.3.endsAt`. */
export function showPath(path: Path): string {
  return path.join('.')
}
