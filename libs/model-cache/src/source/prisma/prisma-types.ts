import { Decimal, type JsonValue } from '@prisma/client/runtime/client'
import { type, type Type } from 'arktype'

/** The ArkType of a Prisma `Decimal` field. */
export const decimal: Type<Decimal> = type.instanceOf(Decimal) as never

/** The ArkType of a Prisma `Json` field, which passes through as plain JSON. For a narrower type, use `json.as<MyType>()`. */
export const json: Type<JsonValue> = type('unknown').as<JsonValue>() as never
