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
    case 'boolean':
    case 'literal':
      return 1
    case 'number':
      return digits.numberDigits
    case 'date':
      return 2 * digits.halfDateDigits
    case 'decimal':
      return 2 + 2 * digits.decimalWordDigits
    default:
      return digits.lengthDigits
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
