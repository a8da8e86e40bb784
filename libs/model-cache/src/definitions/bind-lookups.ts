import { createHash } from 'node:crypto'
import type { BoundLookup, LookupDefinition } from '../cache/policy/lookup-options.js'
import type { WirePlan } from '../codec/wire-plan.js'

export function bindLookups(
  lookups: readonly LookupDefinition[],
  plan: WirePlan,
  idFields: readonly string[],
): readonly BoundLookup[] {
  return lookups.map((lookup) => {
    const fields = plan.kind === 'object' ? plan.fields : []
    const key = lookup.by.map((name) => {
      const found = fields.find((field) => field.name === name)!.plan
      const kind = found.kind === 'literal' ? 'string' : found.kind
      return { name, kind: kind as 'string', folds: false }
    })
    const ordered = lookup.orderBy.flatMap((order) => Object.keys(order))
    const orderBy = [
      ...lookup.orderBy,
      ...idFields.filter((field) => !ordered.includes(field)).map((field) => ({ [field]: 'asc' })),
    ]
    const watched = [...new Set([...Object.keys(lookup.where), ...ordered, ...idFields])]
    const print = createHash('sha256')
      .update(JSON.stringify([lookup.by, lookup.where, orderBy, lookup.limit, key]))
      .digest('base64url')
      .slice(0, 11)
    return {
      ...lookup,
      orderBy,
      description: { name: lookup.name, print, key, watched },
    }
  })
}
