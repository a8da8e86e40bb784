import { refuseBranch } from './by-branch.js'
import { FunctionWriter, property } from './function-writer.js'
import { isInheritedName } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/** Deep-freezes a row that matches the plan, in place, and returns it. */
export type Freezer = (value: unknown) => unknown

/** Compiles a freezer: one function per container, which visits only mutable values. */
export function compileFreezer(plan: WirePlan): Freezer {
  const freeze = writeFreezer(plan).compile<Freezer>('value')
  return plan.nullable || plan.undefinable
    ? (value) => (value === null || value === undefined ? value : freeze(value))
    : freeze
}

/** Writes a function that freezes a value that is neither null nor undefined, and returns it. */
function writeFreezer(plan: WirePlan): FunctionWriter {
  const code = new FunctionWriter()
  switch (plan.kind) {
    case 'object':
      for (const { name, plan: field } of plan.fields) {
        const place = `value${property(name)}`
        // An inherited property of this name must not be frozen.
        const own = isInheritedName(name) ? `Object.hasOwn(value, ${JSON.stringify(name)})` : ''
        writeFreeze(code, field, place, own)
      }
      return writeEnd(code)
    case 'tuple':
      plan.items.forEach((item, i) => writeFreeze(code, item, `value[${i}]`))
      return writeEnd(code)
    case 'array':
      if (needsFreezing(plan.items)) {
        code.block('for (let i = 0; i < value.length; i++)', () => writeFreeze(code, plan.items, 'value[i]'))
      }
      return writeEnd(code)
    case 'record':
      if (needsFreezing(plan.values)) {
        code.block('for (const key of Object.keys(value))', () =>
          writeFreeze(code, plan.values, 'value[key]'),
        )
      }
      return writeEnd(code)
    case 'union':
      writeBranches(
        code,
        plan,
        'value',
        (branch) => code.line(`return ${freezerOf(code, branch)}(value)`),
        `${code.constant(refuseBranch)}()`,
      )
      return code
    default:
      if (needsFreezing(plan)) code.line(`${freezerOf(code, plan)}(value)`)
      return code.line('return value')
  }
}

const writeEnd = (code: FunctionWriter): FunctionWriter =>
  code.line(`return ${code.constant(Object.freeze)}(value)`)

function writeFreeze(code: FunctionWriter, plan: WirePlan, place: string, condition = ''): void {
  if (!needsFreezing(plan)) return
  const mayBeNullish = plan.nullable || plan.undefinable
  const conditions = [condition, mayBeNullish && `${place} != null`].filter(Boolean).join(' && ')
  code.line(`${conditions && `if (${conditions}) `}${freezerOf(code, plan)}(${place})`)
}

/** Returns the name of the function that freezes values of this plan. */
function freezerOf(code: FunctionWriter, plan: WirePlan): string {
  if (plan.kind === 'json') return code.constant(freezeJson)
  return code.constant(scalarOf(plan)?.freeze ?? writeFreezer(plan).compile<Freezer>('value'))
}

/** Whether values of this plan are mutable and can be frozen. */
function needsFreezing(plan: WirePlan): boolean {
  const isContainer = ['object', 'array', 'tuple', 'record', 'union', 'json'].includes(plan.kind)
  return isContainer || scalarOf(plan)?.freeze !== undefined
}

function freezeJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const entry of Object.values(value)) freezeJson(entry)
  return Object.freeze(value)
}
