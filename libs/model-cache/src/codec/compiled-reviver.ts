import { FunctionWriter, property } from './function-writer.js'
import { scalarOf } from './scalars.js'
import type { PlanField, WirePlan } from './wire-plan.js'

/**
 * Brings back the scalars of a freshly parsed value, in place.
 *
 * @returns the value: the same object, or the revived scalar when the root is one
 * @throws when a text is not that of its scalar
 */
export type Revive = (parsed: unknown) => unknown

/**
 * Compiles a reviver to straight-line code. It touches the declared paths, and looks whether the objects on the way
 * have the fields that they must have; it never visits the payload's other keys.
 */
export function compileReviver(plan: WirePlan): Revive {
  return writeReviver(plan).compile<Revive>('root')
}

/** The source of a compiled reviver. */
export function reviverSource(plan: WirePlan): string {
  return writeReviver(plan).source('root')
}

export function hasScalars(plan: WirePlan): boolean {
  switch (plan.kind) {
    case 'object':
      return plan.fields.some((field) => hasScalars(field.plan))
    case 'array':
      return hasScalars(plan.items)
    case 'tuple':
      return plan.items.some(hasScalars)
    case 'record':
      return hasScalars(plan.values)
    default:
      return scalarOf(plan) !== undefined
  }
}

function writeReviver(plan: WirePlan): FunctionWriter {
  const writer = new FunctionWriter()
  writeNode(writer, plan, 'root')
  return writer.line('return root')
}

/** Writes the statements that revive what stands at `place`, an expression that can be assigned to. */
function writeNode(writer: FunctionWriter, plan: WirePlan, place: string): void {
  const scalar = scalarOf(plan)
  if (scalar) {
    const revive = `${place} = ${writer.constant(scalar.fromText)}(${place})`
    writer.line(guardOf(plan, place) ? `if (${guardOf(plan, place)}) ${revive}` : revive)
    return
  }
  const value = writer.variable('v')
  writer.line(`const ${value} = ${place}`)
  if (guardOf(plan, value))
    writer.block(`if (${guardOf(plan, value)})`, () => writeChildren(writer, plan, value))
  else writeChildren(writer, plan, value)
}

function writeChildren(writer: FunctionWriter, plan: WirePlan, value: string): void {
  switch (plan.kind) {
    case 'object':
      writeShapeCheck(writer, plan.fields, value)
      for (const field of plan.fields) {
        if (hasScalars(field.plan)) writeNode(writer, field.plan, value + property(field.name))
      }
      break
    case 'tuple':
      plan.items.forEach((item, i) => {
        if (hasScalars(item)) writeNode(writer, item, `${value}[${i}]`)
      })
      break
    case 'array': {
      writer.line(`if (!Array.isArray(${value})) ${writer.constant(refuseShape)}()`)
      if (!hasScalars(plan.items)) break
      const i = writer.variable('i')
      writer.block(`for (let ${i} = 0; ${i} < ${value}.length; ${i}++)`, () =>
        writeNode(writer, plan.items, `${value}[${i}]`),
      )
      break
    }
    case 'record': {
      if (!hasScalars(plan.values)) break
      const key = writer.variable('k')
      writer.block(`for (const ${key} of Object.keys(${value}))`, () =>
        writeNode(writer, plan.values, `${value}[${key}]`),
      )
      break
    }
  }
}

/** JSON of another shape must not pass for a row: every required field has to be there. */
function writeShapeCheck(writer: FunctionWriter, fields: readonly PlanField[], value: string): void {
  const absent = fields
    .filter((field) => !field.plan.undefinable)
    .map((field) => `${value}${property(field.name)} === undefined`)
  const conditions = [`typeof ${value} !== 'object'`, ...absent]
  writer.line(`if (${conditions.join(' || ')}) ${writer.constant(refuseShape)}()`)
}

function refuseShape(): never {
  throw new TypeError('not the shape of the row')
}

/** The condition under which there is something to revive, or '' when there always is. */
function guardOf(plan: WirePlan, place: string): string {
  if (plan.nullable && plan.undefinable) return `${place} != null`
  if (plan.nullable) return `${place} !== null`
  return plan.undefinable ? `${place} !== undefined && ${place} !== null` : ''
}
