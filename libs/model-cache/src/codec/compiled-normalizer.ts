import { FunctionWriter, property } from './function-writer.js'
import { hasKeysInOrder, keyOrderOf } from './key-order.js'
import type { Normalizer, ObjectNormalizer } from './normalizer.js'
import { createNormalizer, isOfObject, refuse, requireField } from './normalizer.js'
import { isInheritedName, isPlainObject } from './plain-object.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

/** Compiles a normalizer: one function per object, which checks its keys once and creates a literal if they differ. */
export function compileNormalizer(plan: WirePlan): Normalizer {
  return createNormalizer(plan, compileObject)
}

/** Returns the source of an object's normalizer without nested ones; for a union, that of its last branch. */
export function normalizerSource(plan: WirePlan): string {
  let source = ''
  createNormalizer(plan, (node, normalizerOf) => {
    // The outermost function is created last.
    const code = writeObject(node, normalizerOf)
    source = code.source('value')
    return code.compile('value')
  })
  return source
}

const compileObject: ObjectNormalizer = (plan, normalizerOf) =>
  writeObject(plan, normalizerOf).compile<Normalizer>('value')

function writeObject(
  { fields }: PlanOf<'object'>,
  normalizerOf: (plan: WirePlan) => Normalizer | undefined,
): FunctionWriter {
  const code = new FunctionWriter()
  code.line(
    `const isOwn = ${code.constant(isOfObject)}(value) || (${code.constant(isPlainObject)}(value) ? false : ${code.constant(refuse)}())`,
  )
  const changes: string[] = []
  const values = fields.map((field) => {
    const place = placeOf(field)
    const normalize = normalizerOf(field.plan)
    if (!normalize) return { ...field, value: place }
    const value = code.variable('v')
    const normalized = `${code.constant(normalize)}(${place})`
    code.line(
      `const ${value} = ${field.optional ? `${place} === undefined ? undefined : ` : ''}${normalized}`,
    )
    changes.push(`${value} === ${place}`)
    return { ...field, value }
  })
  const inOrder = writeOrder(code, fields)
  code.line(`if (${['isOwn', inOrder, ...changes].join(' && ')}) return value`)
  const required = values.filter(({ optional }) => !optional)
  for (const field of required) {
    const { name, plan } = field
    code.line(
      `if (${placeOf(field)} === undefined) ${code.constant(requireField)}(value, ${JSON.stringify(name)}, ${code.constant(plan)})`,
    )
  }
  const literal = required.map(({ name, value }) => `${JSON.stringify(name)}: ${value}`)
  code.line(`const row = { ${literal.join(', ')} }`)
  for (const { name, optional, value } of values) {
    if (!optional) continue
    code.line(`if (Object.hasOwn(value, ${JSON.stringify(name)})) row${property(name)} = ${value}`)
  }
  return code.line('return row')
}

/** Returns an expression for an own field, never an inherited property. */
function placeOf({ name }: PlanField): string {
  const place = `value${property(name)}`
  return isInheritedName(name)
    ? `(Object.hasOwn(value, ${JSON.stringify(name)}) ? ${place} : undefined)`
    : place
}

/** Writes the check of the keys and returns the condition that they are in order. */
function writeOrder(code: FunctionWriter, fields: readonly PlanField[]): string {
  const order = keyOrderOf(fields)
  if (order.optional.includes(true)) {
    return `${code.constant(hasKeysInOrder)}(value, ${code.constant(order)})`
  }
  const keys = code.constant(order.keys)
  code.line('let count = 0')
  code.line(`for (const key in value) if (key !== ${keys}[count++]) { count = -1; break }`)
  return `count === ${order.keys.length}`
}
