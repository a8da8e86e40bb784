/** Plans of the codec, in short. */
import type { PlanField, PlanOf, WirePlan } from '../../libs/model-cache/src/codec/wire-plan.js'

/** Of what is neither null nor undefined. */
export const flags = { nullable: false, undefinable: false }
export const string: WirePlan = { kind: 'string', ...flags }
export const number: WirePlan = { kind: 'number', ...flags }
export const boolean: WirePlan = { kind: 'boolean', ...flags }
export const date: WirePlan = { kind: 'date', ...flags }
export const bigint: WirePlan = { kind: 'bigint', ...flags }
export const bytes: WirePlan = { kind: 'bytes', ...flags }
export const json: WirePlan = { kind: 'json', ...flags }
export const constant = (...values: PlanOf<'literal'>['values']): WirePlan => ({
  kind: 'literal',
  values,
  ...flags,
})
export const field = (name: string, plan: WirePlan): PlanField => ({ name, optional: false, plan })
export const optional = (name: string, plan: WirePlan): PlanField => ({
  name,
  optional: true,
  plan: { ...plan, undefinable: true },
})
export const object = (...fields: PlanField[]): PlanOf<'object'> => ({ kind: 'object', fields, ...flags })
export const array = (items: WirePlan): WirePlan => ({ kind: 'array', items, ...flags })
export const tuple = (...items: WirePlan[]): PlanOf<'tuple'> => ({ kind: 'tuple', items, ...flags })
export const record = (values: WirePlan): WirePlan => ({ kind: 'record', values, ...flags })
/** Its branches have the constants 0, 1 and so on. */
export const union = (
  discriminator: string,
  ...plans: (PlanOf<'object'> | PlanOf<'union'>)[]
): PlanOf<'union'> => ({
  kind: 'union',
  discriminator,
  branches: plans.map((plan, i) => ({ constants: [i], plan })),
  ...flags,
})
