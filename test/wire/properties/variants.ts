import { inspect } from 'node:util'
import fc from 'fast-check'
import type { Type } from 'arktype'
import { compileCodec, createStringifier } from 'model-cache/codec'
import type { Field, PlanOf, WirePlan } from '../arbitrary/plans.ts'
import { schemaOf } from '../arbitrary/schemas.ts'
import type { AnyCodec } from './property.ts'

type Options = NonNullable<Parameters<typeof compileCodec>[1]>

const byHand = 'json, read and written by hand'

/** The ways in which a codec reads and writes. Each has to keep every promise. */
const variants: Readonly<Record<string, (plan: WirePlan, schema: Type) => object>> = {
  'by default': () => ({}),
  json: () => ({ format: 'json' }),
  [byHand]: (plan, schema) => ({
    reviver: pathsOf(plan),
    stringifier: createStringifier()(schema as never),
  }),
}

type Codecs = ReadonlyMap<string, AnyCodec>

const byPlan = new WeakMap<WirePlan, Codecs>()
/** Properties with the same seed generate equal plans. The latest are kept, so that fuzzing needs no more memory with time. */
const byShape = new Map<string, Codecs>()
const shapesKept = 300

/** Returns the codecs of a plan, by the variant's name. Equal plans share them: compiling takes longer than most checks. */
export function codecsOf(plan: WirePlan): Codecs {
  const known = byPlan.get(plan)
  if (known) return known
  const shape = inspect(plan, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity })
  const codecs = byShape.get(shape) ?? compile(plan)
  byPlan.set(plan, codecs)
  byShape.set(shape, codecs)
  if (byShape.size > shapesKept) byShape.delete(byShape.keys().next().value!)
  return codecs
}

function compile(plan: WirePlan): Codecs {
  const schema = schemaOf(plan)
  const possible = Object.entries(variants).filter(([name]) => name !== byHand || !isAmbiguous(plan))
  return new Map(
    possible.map(([name, options]) => [
      name,
      compileCodec(schema, { name: 'Random', ...options(plan, schema) } as Options) as AnyCodec,
    ]),
  )
}

/** Does the same with every variant, and says which one failed. */
export function forEachVariant(plan: WirePlan, check: (codec: AnyCodec, variant: string) => void): void {
  for (const [variant, codec] of codecsOf(plan)) {
    try {
      check(codec, variant)
    } catch (error) {
      // What was generated is of no use; that is no failure.
      if (error instanceof fc.PreconditionFailure) throw error
      throw new Error(`with the codec ${variant}: ${(error as Error).message}`, { cause: error })
    }
  }
}

const scalars: ReadonlySet<string> = new Set(['date', 'decimal', 'bigint', 'bytes'])

/** The reviver that a user would declare by hand, by the rules in the documentation of ReviverSchema. */
export function pathsOf(plan: WirePlan): Record<string, string> {
  return Object.fromEntries(below(plan, []).map(([path, scalar]) => [path.join('.'), scalar]))
}

function below(plan: WirePlan, path: readonly string[]): [path: readonly string[], scalar: string][] {
  if (scalars.has(plan.kind)) return [[path, plan.kind]]
  switch (plan.kind) {
    case 'object':
      return plan.fields.flatMap((field) => below(field.plan, [...path, segmentOf(field)]))
    case 'array':
      return below(plan.items, [...path, '__ARRAY__'])
    case 'tuple':
      return plan.items.flatMap((item, i) => below(item, [...path, String(i)]))
    case 'record':
      return below(plan.values, [...path, '__RECORD__'])
    case 'union':
      return plan.branches.flatMap((branch) => below(branch.plan, path))
    default:
      return []
  }
}

/** Whether objects of one union share fields besides those that distinguish them: paths might confuse these. */
function isAmbiguous(plan: WirePlan): boolean {
  switch (plan.kind) {
    case 'object':
      return plan.fields.some((field) => isAmbiguous(field.plan))
    case 'array':
      return isAmbiguous(plan.items)
    case 'tuple':
      return plan.items.some(isAmbiguous)
    case 'record':
      return isAmbiguous(plan.values)
    case 'union': {
      const names = fieldsOf(plan)
        .filter((field) => field.optional || field.plan.kind !== 'literal')
        .map((field) => field.name)
      return new Set(names).size < names.length || plan.branches.some((branch) => isAmbiguous(branch.plan))
    }
    default:
      return false
  }
}

const fieldsOf = (plan: PlanOf<'object' | 'union'>): readonly Field[] =>
  plan.kind === 'object' ? plan.fields : plan.branches.flatMap((branch) => fieldsOf(branch.plan))

function segmentOf({ name }: PlanOf<'object'>['fields'][number]): string {
  if (name === '') return '\\0'
  if (name === '__ARRAY__' || name === '__RECORD__') return `\\${name}`
  return name.replaceAll('\\', '\\\\').replaceAll('.', '\\.')
}
