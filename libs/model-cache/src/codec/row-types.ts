import { type, type Type } from 'arktype'
import type { DecimalConstructor } from './wire-plan.js'

/** Whatever JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

/**
 * ArkType of a `Bytes` field: a `Uint8Array` of its own memory, as Prisma gives it.
 */
export const bytes: Type<Uint8Array<ArrayBuffer>> = type.instanceOf(Uint8Array) as never

/** ArkType of a field that passes through as plain JSON. For a narrower type, `json.as<MyType>()`. */
export const json: Type<Json> = type('unknown').as<Json>() as never

/** ArkType of a decimal.js class; `model-cache` exports `decimal` for Prisma's. */
export function decimalOf<D extends DecimalConstructor>(Decimal: D): Type<InstanceType<D>> {
  return type.instanceOf(Decimal) as never
}
