import { type, type Type } from 'arktype'
import type { DecimalConstructor } from './wire-plan.js'

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

/** ArkType of a `Bytes` field: a `Uint8Array` with its own memory, as Prisma returns it. */
export const bytes: Type<Uint8Array<ArrayBuffer>> = type.instanceOf(Uint8Array) as never

/** ArkType of a `Json` field, which passes through as plain JSON. Use `json.as<MyType>()` for a narrower type. */
export const json: Type<Json> = type('unknown').as<Json>() as never

/** Returns the ArkType of a decimal.js class. `model-cache` exports `decimal` for Prisma's. */
export function decimalOf<D extends DecimalConstructor>(Decimal: D): Type<InstanceType<D>> {
  return type.instanceOf(Decimal) as never
}
