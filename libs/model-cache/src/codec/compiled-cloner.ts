import { refuseBranch } from './by-branch.js'
import { copierOf, type Cloner } from './cloner.js'
import type { Copier } from './codec.js'
import { FunctionWriter, property, self } from './function-writer.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/** Compiles what copies rows: one function per container, each object one literal. */
export function compileCopier<Row>(plan: WirePlan): Copier<Row> {
  const present = writeCloner(plan).compile<Cloner>('value')
  const clone: Cloner =
    plan.nullable || plan.undefinable
      ? (value) => (value === null || value === undefined ? value : present(value))
      : present
  if (plan.kind !== 'object') return copierOf(clone)
  return { ...copierOf(clone), cloneMany: writeManyCloner(plan).compile('value, count') }
}

/** The source of the compiled functions, without those of nested containers. */
export function clonerSource(plan: WirePlan): string {
  const clone = writeCloner(plan).source('value')
  return plan.kind === 'object' ? `${clone}\n\n${writeManyCloner(plan).source('value, count')}` : clone
}

/**
 * Writes a function that makes many copies of an object. One date of all copies follows the other: V8 finds out the day of each that it
 * makes, and knows that of the last one.
 */
function writeManyCloner({ fields }: WirePlan & { kind: 'object' }): FunctionWriter {
  const code = new FunctionWriter()
  code.line('const copies = Array(count)')
  code.block('for (let i = 0; i < count; i++)', () => {
    writeObject(code, fields, (plan, place) => (plan.kind === 'date' ? place : copyOf(code, plan, place)))
    code.line('copies[i] = copy')
  })
  for (const { name, optional, plan } of fields) {
    if (plan.kind !== 'date') continue
    const own = optional ? `if (Object.hasOwn(value, ${JSON.stringify(name)})) ` : ''
    const copy = copyOf(code, plan, `value${property(name)}`)
    code.line(`${own}for (let i = 0; i < count; i++) copies[i]${property(name)} = ${copy}`)
  }
  return code.line('return copies')
}

/** Writes a function that copies a present value. */
function writeCloner(plan: WirePlan): FunctionWriter {
  const code = new FunctionWriter()
  switch (plan.kind) {
    case 'object':
      writeObject(code, plan.fields, (field, place) => copyOf(code, field, place))
      return code.line('return copy')
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
    case 'json':
      return writeJsonCloner(code)
    default:
      return code.line(`return ${copyOfPresent(code, plan, 'value')}`)
  }
}

/** Writes what makes `copy`, an object with the fields of `value`. */
function writeObject(
  code: FunctionWriter,
  fields: (WirePlan & { kind: 'object' })['fields'],
  copyOfField: (plan: WirePlan, place: string) => string,
): void {
  const required = fields.filter((field) => !field.optional)
  const literal = required.map(
    ({ name, plan }) => `${JSON.stringify(name)}: ${copyOfField(plan, `value${property(name)}`)}`,
  )
  code.line(`const copy = { ${literal.join(', ')} }`)
  for (const { name, optional, plan } of fields) {
    if (!optional) continue
    const copy = copyOfField(plan, `value${property(name)}`)
    code.line(`if (Object.hasOwn(value, ${JSON.stringify(name)})) copy${property(name)} = ${copy}`)
  }
}

/**
 * Writes a function that copies plain JSON. V8 copies an object with a spread in one go, hidden class and all, but only where it has
 * met no more than four classes: so each field has code of its own.
 */
function writeJsonCloner(code: FunctionWriter): FunctionWriter {
  code.line("if (typeof value !== 'object' || value === null) return value")
  code.block('if (Array.isArray(value))', () => {
    code.line('const copy = value.slice()')
    code.block('for (let i = 0; i < copy.length; i++)', () => {
      code.line('const entry = copy[i]')
      code.line(`if (typeof entry === 'object' && entry !== null) copy[i] = ${self}(entry)`)
    })
    code.line('return copy')
  })
  code.line('const copy = { ...value }')
  // As with the other cloner of JSON.
  code.block('for (const key in copy)', () => {
    code.line('const entry = copy[key]')
    code.line(
      `if (typeof entry === 'object' && entry !== null && Object.hasOwn(copy, key)) copy[key] = ${self}(entry)`,
    )
  })
  return code.line('return copy')
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
      // What is no Date has no time: it is refused, not made one. Made of a date, one takes no number of the heap in between.
      return `(${place}.getTime(), new Date(${place}))`
    case 'bytes':
      return `${code.constant(scalarOf(plan)!.copy)}(${place})`
    case 'json':
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
