import { FunctionWriter, property } from './function-writer.js'
import { hasKeysInOrder, keyOrderOf, withKeysInOrder } from './key-order.js'
import { isWritableJson } from './plain-json.js'
import { isInheritedName } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/**
 * Revives the scalars of a parsed value in place.
 *
 * @returns the same value, or the revived scalar if the root is one
 * @throws TypeError if a string is not a serialized scalar of its kind
 */
export type Revive = (parsed: unknown) => unknown

/**
 * Compiles a reviver to straight-line code. It visits the fields of the plan, revives scalars, checks the types of the others,
 * and refuses unknown keys.
 */
export function compileReviver(plan: WirePlan): Revive {
  return writeReviver(plan).compile<Revive>('root')
}

/** Returns the source of a compiled reviver. */
export function reviverSource(plan: WirePlan): string {
  return writeReviver(plan).source('root')
}

function writeReviver(plan: WirePlan): FunctionWriter {
  const writer = new FunctionWriter()
  writeNode(writer, plan, 'root')
  return writer.line('return root')
}

/** Writes statements that revive the value at `place`, an assignable expression. */
function writeNode(writer: FunctionWriter, plan: WirePlan, place: string): void {
  const value = writer.variable('v')
  writer.line(`const ${value} = ${place}`)
  const guards = [plan.nullable && `${value} !== null`, plan.undefinable && `${value} !== undefined`].filter(
    Boolean,
  )
  // `parseJsonText` has already restored undefined, which the payload holds as null.
  const present = (): void => writePresent(writer, plan, value, place)
  if (guards.length > 0) writer.block(`if (${guards.join(' && ')})`, present)
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
      // JSON.parse returns Infinity for 1e999.
      return refuseUnless(`Number.isFinite(${value})`)
    case 'literal':
      return refuseUnless(`${writer.constant(plan.values)}.includes(${value})`)
    case 'json':
      // Refuses functions: a missing field may have the name of an inherited method.
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

/** Refuses unknown keys, and sorts the keys of a row from a hand-written stringifier. */
function writeOrder(writer: FunctionWriter, plan: PlanOf<'object'>, value: string, place: string): void {
  const order = writer.constant(keyOrderOf(plan.fields))
  writer.line(
    `if (!${writer.constant(hasKeysInOrder)}(${value}, ${order})) ${place} = ${writer.constant(withKeysInOrder)}(${value}, ${order})`,
  )
}

function writeField(writer: FunctionWriter, { name, optional, plan }: PlanField, value: string): void {
  const write = (): void => writeNode(writer, plan, value + property(name))
  // An inherited property must not be mistaken for the field, nor a missing key for undefined.
  if (!isInheritedName(name) && (optional || !plan.undefinable)) return write()
  writer.block(`if (Object.hasOwn(${value}, ${JSON.stringify(name)}))`, write)
  if (!optional) writer.line(`else ${writer.constant(refuseShape)}()`)
}

function refuseShape(): never {
  throw new TypeError('not the shape of the row')
}
