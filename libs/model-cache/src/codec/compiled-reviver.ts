import { FunctionWriter, property } from './function-writer.js'
import { hasKeysInOrder, keyOrderOf, withKeysInOrder } from './key-order.js'
import { isWritableJson } from './plain-json.js'
import { isInheritedName } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/**
 * Brings back the scalars of a freshly parsed value, in place.
 *
 * @returns the value: the same object, or the revived scalar when the root is one
 * @throws when a text is not that of its scalar
 */
export type Revive = (parsed: unknown) => unknown

/**
 * Compiles a reviver to straight-line code. It visits the declared fields: brings scalars back, and looks whether the
 * others are what the plan says, and whether there are no others.
 */
export function compileReviver(plan: WirePlan): Revive {
  return writeReviver(plan).compile<Revive>('root')
}

/** The source of a compiled reviver. */
export function reviverSource(plan: WirePlan): string {
  return writeReviver(plan).source('root')
}

function writeReviver(plan: WirePlan): FunctionWriter {
  const writer = new FunctionWriter()
  writeNode(writer, plan, 'root')
  return writer.line('return root')
}

/** Writes the statements that revive what stands at `place`, an expression that can be assigned to. */
function writeNode(writer: FunctionWriter, plan: WirePlan, place: string): void {
  const value = writer.variable('v')
  writer.line(`const ${value} = ${place}`)
  const absent = [plan.nullable && `${value} !== null`, plan.undefinable && `${value} !== undefined`].filter(
    Boolean,
  )
  // An element that was undefined stands as null in the text, until its exception is restored; see json-text.ts.
  const present = (): void => writePresent(writer, plan, value, place)
  if (absent.length > 0) writer.block(`if (${absent.join(' && ')})`, present)
  else present()
}

function writePresent(writer: FunctionWriter, plan: WirePlan, value: string, place: string): void {
  const refuseUnless = (condition: string): void =>
    void writer.line(`if (!(${condition})) ${writer.constant(refuseShape)}()`)
  const scalar = scalarOf(plan)
  if (scalar) {
    writer.line(`${place} = ${writer.constant(scalar.fromText)}(${value})`)
    return
  }
  switch (plan.kind) {
    case 'string':
    case 'boolean':
      return refuseUnless(`typeof ${value} === '${plan.kind}'`)
    case 'number':
      // JSON has no Infinity, but 1e999 is one.
      return refuseUnless(`Number.isFinite(${value})`)
    case 'literal':
      return refuseUnless(`${writer.constant(plan.values)}.includes(${value})`)
    case 'json':
      // A function is what an object inherits under the name of a field that is missing.
      refuseUnless(`${value} !== null && ${value} !== undefined && typeof ${value} !== 'function'`)
      return refuseUnless(`${writer.constant(isWritableJson)}(${value})`)
    case 'tuple':
      refuseUnless(`Array.isArray(${value}) && ${value}.length === ${plan.items.length}`)
      plan.items.forEach((item, i) => writeNode(writer, item, `${value}[${i}]`))
      return
    case 'array': {
      refuseUnless(`Array.isArray(${value})`)
      const i = writer.variable('i')
      const body = (): void => writeNode(writer, plan.items, `${value}[${i}]`)
      writer.block(`for (let ${i} = 0; ${i} < ${value}.length; ${i}++)`, body)
      return
    }
    case 'record': {
      refuseUnless(`typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`)
      const key = writer.variable('k')
      const body = (): void => writeNode(writer, plan.values, `${value}[${key}]`)
      writer.block(`for (const ${key} of Object.keys(${value}))`, body)
      return
    }
    case 'object':
    case 'union':
      refuseUnless(`typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`)
      return writeFields(writer, plan, value, place)
  }
}

function writeFields(
  writer: FunctionWriter,
  plan: PlanOf<'object' | 'union'>,
  value: string,
  place: string,
): void {
  if (plan.kind === 'object') {
    plan.fields.forEach((field) => writeField(writer, field, value))
    writeOrder(writer, plan, value, place)
  } else {
    const write = (branch: PlanOf<'object' | 'union'>): void => writeFields(writer, branch, value, place)
    writeBranches(writer, plan, value, write, `${writer.constant(refuseShape)}()`)
  }
}

/** Refuses other keys, and puts those of a row that was written by hand in order. */
function writeOrder(writer: FunctionWriter, plan: PlanOf<'object'>, value: string, place: string): void {
  const order = writer.constant(keyOrderOf(plan.fields))
  writer.line(
    `if (!${writer.constant(hasKeysInOrder)}(${value}, ${order})) ${place} = ${writer.constant(withKeysInOrder)}(${value}, ${order})`,
  )
}

function writeField(writer: FunctionWriter, { name, optional, plan }: PlanField, value: string): void {
  const write = (): void => writeNode(writer, plan, value + property(name))
  // What every object inherits under this name must not pass for the field, nor a missing key for undefined.
  if (!isInheritedName(name) && (optional || !plan.undefinable)) return write()
  writer.block(`if (Object.hasOwn(${value}, ${JSON.stringify(name)}))`, write)
  if (!optional) writer.line(`else ${writer.constant(refuseShape)}()`)
}

function refuseShape(): never {
  throw new TypeError('not the shape of the row')
}
