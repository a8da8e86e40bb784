import type { RowSchema } from './row-schema.js'

/**
 * Flattens intersections and mapped types, so that equal types compare equal however they were written. Types that may
 * hold any JSON are left alone, since they are recursive.
 */
type Plain<T> = { readonly [key: string]: string } extends T ? T : PlainMember<T>

type PlainMember<T> = T extends
  Date | Uint8Array | { readonly d: number[]; readonly e: number; readonly s: number }
  ? T
  : T extends object
    ? { [K in keyof T]: Plain<T[K]> }
    : T

type IsEqual<A, B> =
  (<G>() => G extends Plain<A> ? 1 : 2) extends <G>() => G extends Plain<B> ? 1 : 2 ? true : false

/** Names of the fields in which two row types differ, in any member of a union. */
type DifferingFields<T, U> = {
  [K in FieldNames<T> | FieldNames<U>]: IsEqual<Field<T, K>, Field<U, K>> extends true ? never : K
}[FieldNames<T> | FieldNames<U>]

type FieldNames<T> = T extends unknown ? keyof T : never

type Field<T, K> = T extends unknown ? (K extends keyof T ? Pick<T, K> : never) : never

/** Two unions can differ although they have the same fields. */
type Name<K> = [K] extends [never] ? 'the members of a union' : K extends string | number ? `${K}` : never

/**
 * Type of a schema parameter that accepts an ArkType only if its inferred type is exactly `T`. Otherwise the expected type
 * is a sentence that names the differing fields, which the compiler prints.
 */
export type ExactSchema<T, S extends RowSchema> =
  IsEqual<T, S['infer']> extends true
    ? S
    : `schema must be exactly the row type, but differs at: ${Name<DifferingFields<T, S['infer']>>}`
