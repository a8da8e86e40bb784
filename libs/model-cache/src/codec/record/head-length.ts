import { partsOf, type WirePlan } from '../wire-plan.js'
import * as digits from './digits.js'

/** Returns the number of digits in the head of a record; undefined if it varies between rows. */
export function headLengthOf(plan: WirePlan): number | undefined {
  switch (plan.kind) {
    case 'array':
    case 'record':
    case 'json':
    case 'union':
      return undefined
    case 'object':
    case 'tuple':
      return plan.nullable || plan.undefinable ? undefined : sum(partsOf(plan))
    default: {
      const { count, rest } = nullishDigitsOf(plan)
      return count + rest
    }
  }
}

/** How null and a missing key are written, in as many digits as other values. */
interface NullishDigits {
  readonly nothing: number
  readonly missing: number
  /** The number of digits that say that a value is null or missing. */
  readonly count: number
  /** The number of zero digits after {@link count}. */
  readonly rest: number
}

const asTag = { nothing: digits.nullTag, missing: digits.missingTag, count: 1, rest: 0 }

export function nullishDigitsOf({ kind }: WirePlan): NullishDigits {
  switch (kind) {
    case 'boolean':
    case 'literal':
    case 'json':
    case 'object':
    case 'tuple':
    case 'union':
      return asTag
    case 'decimal':
      return { ...asTag, rest: 1 + 2 * digits.decimalWordDigits }
    case 'number':
      return {
        nothing: digits.nullNumber,
        missing: digits.missingNumber,
        count: digits.numberDigits,
        rest: 0,
      }
    case 'date': {
      const count = digits.halfDateDigits
      return { nothing: digits.nullHalfDate, missing: digits.missingHalfDate, count, rest: count }
    }
    default:
      return {
        nothing: digits.nullLength,
        missing: digits.missingLength,
        count: digits.lengthDigits,
        rest: 0,
      }
  }
}

function sum(plans: readonly WirePlan[]): number | undefined {
  let total = 0
  for (const plan of plans) {
    const length = headLengthOf(plan)
    if (length === undefined) return undefined
    total += length
  }
  return total
}

/** Whether rows of this plan can have `Json` fields. */
export function holdsJson(plan: WirePlan): boolean {
  return plan.kind === 'json' || partsOf(plan).some(holdsJson)
}

/** Returns the plan of a value that is known to be neither null nor undefined. */
export function withoutNullish(plan: WirePlan): WirePlan {
  return { ...plan, nullable: false, undefinable: false }
}

/** Whether a record can hold rows of this plan; scalar roots and large enumerations and unions need the `json` format. */
export function fitsRecord(plan: WirePlan): boolean {
  return ['object', 'array', 'tuple', 'record', 'union'].includes(plan.kind) && fits(plan)
}

function fits(plan: WirePlan): boolean {
  if (plan.kind === 'literal') return plan.values.length <= digits.maxTags
  if (plan.kind === 'union' && plan.branches.length > digits.maxTags) return false
  // With elements of no digits a damaged count could create millions of them.
  if (plan.kind === 'array' && headLengthOf(plan.items) === 0) return false
  return partsOf(plan).every(fits)
}
