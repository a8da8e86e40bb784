import { createHash } from 'node:crypto'
import type { WirePlan } from './wire-plan.js'

/** Raise it whenever the bytes of a format change; the pinned fixtures in test/wire fail then. */
export const WIRE_VERSION = 3

/**
 * Returns a hash of everything that determines the payload of a row. Deployments with different schemas have different
 * fingerprints, so neither reads the rows of the other.
 *
 * @param version the `version` of the definition, for changes that the schema does not show
 * @returns 11 characters of base64url: 64 bits
 */
export function fingerprintOf(plan: WirePlan, format: string, version: string | number | undefined): string {
  const text = JSON.stringify([WIRE_VERSION, format, version ?? null, normalise(plan)])
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64url')
}

/** The plan without what varies between processes or does not affect the payload. */
function normalise(plan: WirePlan): unknown {
  const nullability = (plan.nullable ? 'n' : '') + (plan.undefinable ? 'u' : '')
  switch (plan.kind) {
    case 'object':
      return [
        'object',
        nullability,
        plan.fields
          .map((field) => [field.name, field.optional, normalise(field.plan)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ]
    case 'array':
      return ['array', nullability, normalise(plan.items)]
    case 'tuple':
      return ['tuple', nullability, plan.items.map(normalise)]
    case 'record':
      return ['record', nullability, normalise(plan.values)]
    case 'union':
      // `discriminate` sorts the branches, and their constants are part of their fields.
      return ['union', nullability, plan.discriminator, plan.branches.map((branch) => normalise(branch.plan))]
    case 'literal':
      return ['literal', nullability, plan.values.map((value) => JSON.stringify(value)).toSorted()]
    default:
      return [plan.kind, nullability]
  }
}
