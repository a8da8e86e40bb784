import type { ScalarName } from './wire-plan.js'

/** Decimals are recognised by their documented properties, so that any decimal.js works, including Prisma's. */
interface DecimalLike {
  readonly d: number[]
  readonly e: number
  readonly s: number
  toDecimalPlaces(): unknown
}

/** A type that may hold any JSON, such as Prisma's `JsonValue`; nothing in it can be revived. */
type IsOpenJson<T> = { readonly [key: string]: string } extends T ? true : false

type Join<Path extends string, Segment extends string> = Path extends '' ? Segment : `${Path}.${Segment}`

/**
 * Escapes field names that look like path syntax: dots and backslashes get a backslash, the segments for elements and
 * values a leading one, and the empty name is `\0`.
 */
type EscapeName<Name> = Name extends ''
  ? '\\0'
  : Name extends '__ARRAY__' | '__RECORD__'
    ? `\\${Name}`
    : Name extends `${string}.${string}` | `${string}\\${string}`
      ? EscapeCharacters<Name>
      : Name extends number | string
        ? `${Name}`
        : never

type EscapeCharacters<
  Text extends string,
  Escaped extends string = '',
> = Text extends `${infer First}${infer Rest}`
  ? EscapeCharacters<Rest, `${Escaped}${First extends '.' | '\\' ? '\\' : ''}${First}`>
  : Escaped

/** Union of [path, scalar] for each path of T that ends in a scalar. */
type ScalarPaths<T, Path extends string = ''> =
  IsAny<T> extends true
    ? never
    : IsOpenJson<T> extends true
      ? never
      : T extends null | undefined | string | number | boolean
        ? never
        : T extends Date
          ? [Path, 'date']
          : T extends bigint
            ? [Path, 'bigint']
            : T extends Uint8Array
              ? [Path, 'bytes']
              : T extends DecimalLike
                ? [Path, 'decimal']
                : T extends readonly (infer Element)[]
                  ? number extends T['length']
                    ? ScalarPaths<Element, Join<Path, '__ARRAY__'>>
                    : { [I in keyof T & `${number}`]: ScalarPaths<T[I], Join<Path, I>> }[keyof T &
                        `${number}`]
                  : string extends keyof T
                    ? ScalarPaths<T[keyof T], Join<Path, '__RECORD__'>>
                    : { [K in keyof T]-?: ScalarPaths<T[K], Join<Path, EscapeName<K>>> }[keyof T]

type IsAny<T> = 0 extends 1 & T ? true : false

type Declared<Paths extends [string, ScalarName]> = [Paths] extends [never]
  ? { readonly [path: string]: never }
  : { readonly [P in Paths as P[0]]: P[1] }

/**
 * The values of `T` that JSON cannot represent, by dotted path, each with its scalar. Exact at compile time: it declares every
 * path of `T` that ends in a `Date`, `Decimal`, `bigint` or `Uint8Array`, and no other path.
 *
 * Array elements are `__ARRAY__`, values of open records `__RECORD__`, tuple elements their position. A dot inside a
 * field name is written `\.`, a backslash `\\`, and an empty name `\0`.
 *
 * @example
 * ```ts
 * const reviver: ReviverSchema<{ endsAt: Date | null; bids: { amount: Decimal }[] }> = {
 *   endsAt: 'date',
 *   'bids.__ARRAY__.amount': 'decimal',
 * }
 * ```
 */
export type ReviverSchema<T> = Declared<ScalarPaths<T>>

/** A reviver schema whose row type is not known at compile time. */
export type AnyReviverSchema = Readonly<Record<string, ScalarName>>
