import { refuseBranch } from './by-branch.js'
import type { Cloner } from './cloner.js'
import { cloneJson } from './cloner.js'
import { FunctionWriter, property } from './function-writer.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/** Compiles a cloner: one function per container, each object one literal. */
export function compileCloner(plan: WirePlan): Cloner {
  const clone = writeCloner(plan).compile<Cloner>('value')
  return plan.nullable || plan.undefinable
    ? (value) => (value === null || value === undefined ? value : clone(value))
    : clone
}

/** The source of a compiled cloner, without those of nested containers. */
export function clonerSource(plan: WirePlan): string {
  return writeCloner(plan).source('value')
}

/** Writes a function that copies a present value. */
function writeCloner(plan: WirePlan): FunctionWriter {
  const code = new FunctionWriter()
  switch (plan.kind) {
    case 'object': {
      const required = plan.fields.filter((field) => !field.optional)
      const literal = required.map((field) => {
        const copy = copyOf(code, field.plan, `value${property(field.name)}`)
        return `${JSON.stringify(field.name)}: ${copy}`
      })
      code.line(`const copy = { ${literal.join(', ')} }`)
      for (const { name, optional, plan: field } of plan.fields) {
        if (!optional) continue
        const copy = copyOf(code, field, `value${property(name)}`)
        code.line(`if (Object.hasOwn(value, ${JSON.stringify(name)})) copy${property(name)} = ${copy}`)
      }
      return code.line('return copy')
    }
    case 'tuple':
      return code.line(
        `return [${plan.items.map((item, i) => copyOf(code, item, `value[${i}]`)).join(', ')}]`,
      )
    case 'array': {
      code.line('const copy = value.slice()')
      const copy = copyOf(code, plan.items, 'copy[i]')
      // What cannot be changed has been copied by now.
      if (copy !== 'copy[i]') code.line(`for (let i = 0; i < copy.length; i++) copy[i] = ${copy}`)
      return code.line('return copy')
    }
    case 'record':
      code.line('const copy = {}')
      code.block('for (const key of Object.keys(value))', () => {
        // Set, this key would change what the copy is.
        code.line(
          `if (key === '__proto__') ${code.constant(defineProto)}(copy, ${copyOf(code, plan.values, 'value[key]')})`,
        )
        code.line(`else copy[key] = ${copyOf(code, plan.values, 'value[key]')}`)
      })
      return code.line('return copy')
    case 'union':
      writeBranches(
        code,
        plan,
        'value',
        (branch) => code.line(`return ${copyOfPresent(code, branch, 'value')}`),
        `${code.constant(refuseBranch)}()`,
      )
      return code
    default:
      return code.line(`return ${copyOfPresent(code, plan, 'value')}`)
  }
}

function defineProto(copy: object, value: unknown): void {
  Object.defineProperty(copy, '__proto__', { value, writable: true, enumerable: true, configurable: true })
}

/** The expression of a copy of what stands at `place`. */
function copyOf(code: FunctionWriter, plan: WirePlan, place: string): string {
  const copy = copyOfPresent(code, plan, place)
  const mayBeAbsent = (plan.nullable || plan.undefinable) && copy !== place
  return mayBeAbsent ? `${place} == null ? ${place} : ${copy}` : copy
}

function copyOfPresent(code: FunctionWriter, plan: WirePlan, place: string): string {
  switch (plan.kind) {
    case 'date':
      // What is no Date has no time: it is refused, not made one.
      return `new Date(${place}.getTime())`
    case 'bytes':
      return `${code.constant(scalarOf(plan)!.copy)}(${place})`
    case 'json':
      return `${code.constant(cloneJson)}(${place})`
    case 'object':
    case 'tuple':
    case 'array':
    case 'record':
    case 'union':
      return `${code.constant(writeCloner(plan).compile<Cloner>('value'))}(${place})`
    default:
      // Strings, numbers, flags, bigints, and decimals, which are immutable by contract.
      return place
  }
}
