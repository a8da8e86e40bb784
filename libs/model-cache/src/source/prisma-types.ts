import { Decimal, type JsonValue } from '@prisma/client/runtime/client'
import { type, type Type } from 'arktype'

/** ArkType of a Prisma `Decimal` field. */
export const decimal: Type<Decimal> = type.instanceOf(Decimal) as never

/** ArkType of a Prisma `Json` field, passed through as plain JSON. For a narrower type, `json.as<MyType>()`. */
export const json: Type<JsonValue> = type('unknown').as<JsonValue>() as never
