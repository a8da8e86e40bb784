import type { DecimalConstructor, PlanField, WirePlan } from '../codec/wire-plan.js'
import type { RowField, RowShape } from '../source/row-shape.js'
import type { Models } from '../source/schema-facts.js'

type ObjectPlan = WirePlan & { readonly kind: 'object' }

const present = { nullable: false, undefinable: false } as const

/** Returns the wire plan of rows of a shape, the same that their ArkType schema is compiled to. */
export function planOfShape(
  shape: RowShape,
  Decimal: DecimalConstructor,
  refined: ReadonlyMap<string, WirePlan> = new Map(),
): ObjectPlan {
  const fields = shape.map((field): PlanField => {
    const plan = refined.get(field.name) ?? planOfField(field, Decimal)
    return { name: field.name, optional: false, plan }
  })
  return { kind: 'object', fields, ...present }
}

function planOfField(field: RowField, Decimal: DecimalConstructor): WirePlan {
  const { isList, isNullable } = field
  const item = planOfItem(field, Decimal)
  if (isList) return { kind: 'array', items: item, ...present, nullable: isNullable }
  return isNullable ? { ...item, nullable: true } : item
}

function planOfItem(field: RowField, Decimal: DecimalConstructor): WirePlan {
  switch (field.kind) {
    case 'rows':
      return planOfShape(field.fields, Decimal)
    case 'enum':
      return { kind: 'literal', values: field.values, ...present }
    case 'decimal':
      return { kind: 'decimal', Decimal, ...present }
    case 'json':
      // JSON may be null itself.
      return { kind: 'json', ...present, nullable: true }
    default:
      return { kind: field.kind, ...present }
  }
}

/**
 * Returns a plan whose fields are in the order of the Prisma schema, which is that of the rows that Prisma returns. Fields that the
 * model does not have come last.
 */
export function inSchemaOrder(plan: WirePlan, models: Models, modelName: string): WirePlan {
  const model = models.get(modelName)
  if (!model) return plan
  if (plan.kind === 'array') return { ...plan, items: inSchemaOrder(plan.items, models, modelName) }
  if (plan.kind !== 'object') return plan
  const names = [...model.scalars.keys(), ...model.relations.keys()]
  const position = new Map(names.map((name, i) => [name, i]))
  const at = ({ name }: PlanField): number => position.get(name) ?? names.length
  const fields = plan.fields.toSorted((a, b) => at(a) - at(b))
  return { ...plan, fields: fields.map((field) => withOrderedRows(field, models, model.relationTargets)) }
}

function withOrderedRows(field: PlanField, models: Models, targets: ReadonlyMap<string, string>): PlanField {
  const target = targets.get(field.name)
  return target === undefined ? field : { ...field, plan: inSchemaOrder(field.plan, models, target) }
}
