import { Decimal } from '@prisma/client/runtime/client'
import { type, type Type } from 'arktype'

/** The ArkType of a Prisma `Decimal` field. */
export const decimal: Type<Decimal> = type.instanceOf(Decimal)
