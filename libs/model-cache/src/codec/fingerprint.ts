import { createHash } from 'node:crypto'
import type { WirePlan } from './wire-plan.js'

/** To be raised whenever the bytes of a format change; the pinned fixtures in test/wire say when. */
export const WIRE_VERSION = 3

/**
 * Hash of everything that decides the text of a row. Two deploys whose schemas differ have different fingerprints,
 * so neither reads what the other wrote.
 *
 * @param version the definition's own `version`, for changes that the schema does not show
 * @returns 11 characters of base64url: 64 bits
 */
export function fingerprintOf(plan: WirePlan, format: string, version: string | number | undefined): string {
  const text = JSON.stringify([WIRE_VERSION, format, version ?? null, normalise(plan)])
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64url')
}

/** The plan without what varies between processes or does not show in the text. */
function normalise(plan: WirePlan): unknown {
  const absence = (plan.nullable ? 'n' : '') + (plan.undefinable ? 'u' : '')
  switch (plan.kind) {
    case 'object':
      return [
        'object',
        absence,
        plan.fields
          .map((field) => [field.name, field.optional, normalise(field.plan)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ]
    case 'array':
      return ['array', absence, normalise(plan.items)]
    case 'tuple':
      return ['tuple', absence, plan.items.map(normalise)]
    case 'record':
      return ['record', absence, normalise(plan.values)]
    case 'union':
      // The branches come in an order of their own; their constants are constants of their fields.
      return ['union', absence, plan.discriminator, plan.branches.map((branch) => normalise(branch.plan))]
    case 'literal':
      return ['literal', absence, plan.values.map((value) => JSON.stringify(value)).toSorted()]
    default:
      return [plan.kind, absence]
  }
}
