import { Decimal } from '@prisma/client/runtime/client'
import fc from 'fast-check'
import type { Codec } from 'model-cache/codec'
import { anyName, anyString } from './nasty-strings.ts'

/** What a codec says that its schema was compiled to. */
export type WirePlan = Codec<unknown>['plan']
export type PlanOf<K extends WirePlan['kind']> = WirePlan & { readonly kind: K }
export type Field = PlanOf<'object'>['fields'][number]

// Counterexamples show the name of a class.
Object.defineProperty(Decimal, fc.toStringMethod, { value: () => 'Decimal' })

const absence = fc.record({
  nullable: fc.nat(3).map((n) => n === 3),
  undefinable: fc.nat(5).map((n) => n === 5),
})
const present = { nullable: false, undefinable: false }

const leaf: fc.Arbitrary<WirePlan> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<WirePlan>(
      { kind: 'string', ...present },
      { kind: 'number', ...present },
      { kind: 'boolean', ...present },
      { kind: 'date', ...present },
      { kind: 'bigint', ...present },
      { kind: 'bytes', ...present },
      { kind: 'decimal', Decimal: Decimal as never, ...present },
      { kind: 'json', ...present, nullable: true },
      { kind: 'json', ...present },
    ),
  },
  { weight: 1, arbitrary: constants() },
)

/**
 * Never both booleans: ArkType makes of these the type `boolean`. Nor the text `undefined`, which ArkType takes for the
 * value once a schema of the process has had that.
 */
function constants(): fc.Arbitrary<PlanOf<'literal'>> {
  const text = anyString.filter((value) => value !== 'undefined')
  const constant = fc.oneof(text, fc.integer(), fc.constantFrom(0, 1, 1.5, -1, 1e21, 5e-324, true))
  const few = fc.uniqueArray(constant, { minLength: 1, maxLength: 4 })
  // More than one digit of any base can count.
  const many = fc
    .integer({ min: 5, max: 300 })
    .map((count) => Array.from({ length: count }, (_, i) => String(i)))
  return fc
    .oneof(
      { weight: 9, arbitrary: few as fc.Arbitrary<(string | number | boolean)[]> },
      { weight: 1, arbitrary: many },
    )
    .map((values): PlanOf<'literal'> => ({
      kind: 'literal',
      values: values.map((v) => (v === 0 ? 0 : v)),
      ...present,
    }))
}

const { any } = fc.letrec<{ any: WirePlan; value: WirePlan }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'xsmall', withCrossShrink: true },
    { weight: 6, arbitrary: leaf },
    { weight: 3, arbitrary: objectOf(tie('any')) },
    { weight: 1, arbitrary: unionOf(tie('any')) },
    { weight: 2, arbitrary: tie('any').map((items): WirePlan => ({ kind: 'array', items, ...present })) },
    { weight: 1, arbitrary: tie('any').map((values): WirePlan => ({ kind: 'record', values, ...present })) },
    {
      weight: 1,
      arbitrary: fc
        .array(tie('any'), { minLength: 1, maxLength: 3 })
        .map((items): WirePlan => ({ kind: 'tuple', items, ...present })),
    },
  ),
  // `unknown`, the schema of JSON, takes in what is joined to it.
  any: fc
    .tuple(tie('value'), absence)
    .map(([plan, absences]) => (isUnknown(plan) ? plan : { ...plan, ...absences })),
}))

/** The plan of `unknown`, a `Json` field. The other `json` is a union of plain types. */
export const isUnknown = (plan: WirePlan): boolean =>
  plan.kind === 'json' && plan.nullable && !plan.undefinable

function objectOf(plans: fc.Arbitrary<WirePlan>): fc.Arbitrary<PlanOf<'object'>> {
  const field = fc
    .tuple(anyName, fc.boolean(), plans)
    .map(([name, optional, plan]) => fieldOf(name, optional, plan))
  return fc
    .uniqueArray(field, { minLength: 1, maxLength: 6, selector: ({ name }) => name })
    .map((fields): PlanOf<'object'> => ({ kind: 'object', fields, ...present }))
}

/**
 * Two to four objects that a field of constants distinguishes. Sometimes the first is two that share theirs, and another
 * field distinguishes these; in every branch it could take the place of the first field.
 */
function unionOf(plans: fc.Arbitrary<WirePlan>): fc.Arbitrary<PlanOf<'union'>> {
  return fc
    .record({
      names: fc.tuple(anyName, anyName).filter(([outer, inner]) => outer !== inner),
      outer: fc.uniqueArray(constants(), { minLength: 2, maxLength: 4, comparator: shareConstants }),
      inner: fc.uniqueArray(constants(), { minLength: 2, maxLength: 2, comparator: shareConstants }),
      objects: fc.array(objectOf(plans), { minLength: 5, maxLength: 5 }),
      isNested: fc.nat(4).map((n) => n === 4),
    })
    .map(({ names, outer, inner, objects, isNested }) => {
      const objectWith = (index: number, ...tags: Field[]): PlanOf<'object'> => {
        const others = objects[index]!.fields.filter(({ name }) => !names.includes(name)).map(besideConstants)
        return { kind: 'object', fields: [...others, ...tags], ...present }
      }
      return discriminated(names[0], outer, (constant, i) => {
        const tag = fieldOf(names[0], false, constant)
        if (i > 0 || !isNested) return objectWith(i, tag)
        return discriminated(names[1], inner, (own, j) =>
          objectWith(3 + j, tag, fieldOf(names[1], false, own)),
        )
      })
    })
}

type Branch = PlanOf<'union'>['branches'][number]

function discriminated(
  discriminator: string,
  all: readonly PlanOf<'literal'>[],
  planOf: (constants: PlanOf<'literal'>, index: number) => Branch['plan'],
): PlanOf<'union'> {
  const branches = all.map((constants, i): Branch => ({
    constants: constants.values,
    plan: planOf(constants, i),
  }))
  return { kind: 'union', discriminator, branches, ...present }
}

function shareConstants(a: PlanOf<'literal'>, b: PlanOf<'literal'>): boolean {
  return a.values.some((value) => b.values.includes(value))
}

/**
 * A field that distinguishes no objects, so that only one field does. Nor a union that may be missing: putting such
 * an object into a union makes ArkType 2.2 look for fields of undefined, and throw.
 */
function besideConstants({ name, optional, plan }: Field): Field {
  if (plan.kind === 'literal' || plan.kind === 'boolean') return fieldOf(name, true, plan)
  const isUnion =
    plan.kind === 'union' || (plan.kind === 'json' && !isUnknown({ ...plan, undefinable: false }))
  return isUnion ? fieldOf(name, false, { ...plan, undefinable: false }) : fieldOf(name, optional, plan)
}

export function fieldOf(name: string, optional: boolean, plan: WirePlan): Field {
  return { name, optional, plan: optional ? { ...plan, undefinable: true } : plan }
}

/** Mostly objects, as rows are; anything else that a schema can be as well. */
export const anyPlan: fc.Arbitrary<WirePlan> = fc.oneof(
  { weight: 5, arbitrary: objectOf(any) },
  { weight: 1, arbitrary: unionOf(any) },
  { weight: 1, arbitrary: any },
)

/** What a later version of an object's schema may be. */
export function laterVersionOf(plan: PlanOf<'object'>): fc.Arbitrary<PlanOf<'object'>> {
  const { fields } = plan
  const change = fc.record({
    at: fc.nat(fields.length - 1),
    step: fc.constantFrom(
      'drop',
      'add',
      'rename',
      'retype',
      'optional',
      'nullable',
      'undefinable',
      'reverse',
    ),
    name: anyName.filter((name) => !fields.some((field) => field.name === name)),
    type: any,
  })
  return change.map(({ at, step, name, type }) => {
    const old = fields[at]!
    const others = fields.filter((field) => field !== old)
    const withField = (field: Field) => ({ ...plan, fields: fields.map((f) => (f === old ? field : f)) })
    if (step === 'reverse') return { ...plan, fields: fields.toReversed() }
    if (step === 'drop' && others.length > 0) return { ...plan, fields: others }
    if (step === 'rename') return withField({ ...old, name })
    if (step === 'retype') return withField(fieldOf(old.name, old.optional, type))
    if (old.plan.kind === 'json' || step === 'add') {
      return { ...plan, fields: [...fields, fieldOf(name, false, type)] }
    }
    if (step === 'optional') return withField(fieldOf(old.name, !old.optional, old.plan))
    if (step === 'nullable') return withField({ ...old, plan: { ...old.plan, nullable: !old.plan.nullable } })
    return withField(fieldOf(old.name, old.optional, { ...old.plan, undefinable: !old.plan.undefinable }))
  })
}

/** The plan in a form in which equal plans are equal: fields and constants have no order. */
export function normalised(plan: WirePlan): object {
  switch (plan.kind) {
    case 'object': {
      const fields = plan.fields.map(
        (field) => [field.name, { ...field, plan: normalised(field.plan) }] as const,
      )
      return { ...plan, fields: new Map(fields) }
    }
    case 'array':
      return { ...plan, items: normalised(plan.items) }
    case 'tuple':
      return { ...plan, items: plan.items.map(normalised) }
    case 'record':
      return { ...plan, values: normalised(plan.values) }
    case 'union': {
      const branches = plan.branches.map(({ constants, plan: branch }) => ({
        constants: new Set(constants),
        plan: normalised(branch),
      }))
      return { ...plan, branches: new Set(branches) }
    }
    case 'literal':
      return { ...plan, values: new Set(plan.values) }
    default:
      return plan
  }
}
