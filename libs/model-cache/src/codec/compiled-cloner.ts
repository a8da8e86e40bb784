import { refuseBranch } from './by-branch.js'
import { FunctionWriter, property, self } from './function-writer.js'
import { decimalCopierFor } from './record/decimal-parts.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/** Copies a row that matches the plan; the copy shares nothing mutable with the original. */
export type Cloner = (value: unknown) => unknown

/** Makes many copies of a row. */
export type ManyCloner = (value: unknown, count: number) => unknown[]

/** Compiles a cloner: one function per container, each object a literal. */
export function compileCloner(plan: WirePlan): Cloner {
  const present = writeCloner(plan).compile<Cloner>('value')
  return plan.nullable || plan.undefinable
    ? (value) => (value === null || value === undefined ? value : present(value))
    : present
}

/** Compiles a function that makes many copies. */
export function compileManyCloner(plan: WirePlan): ManyCloner {
  return plan.kind === 'object' && !plan.nullable && !plan.undefinable
    ? writeManyCloner(plan).compile('value, count')
    : repeated(compileCloner(plan))
}

/** Makes many copies, one after another. */
function repeated(clone: Cloner): ManyCloner {
  return (value, count) => Array.from({ length: count }, () => clone(value))
}

/**
 * Writes a function that makes many copies of an object. It copies one date field for all copies, then the next: V8 computes
 * the day of each new date and caches that of the last one.
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

/** Writes a function that copies a value that is neither null nor undefined. */
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
      // Immutable elements have been copied by slice().
      if (copy !== 'copy[i]') code.line(`for (let i = 0; i < copy.length; i++) copy[i] = ${copy}`)
      return code.line('return copy')
    }
    case 'record':
      code.line('const copy = {}')
      code.block('for (const key of Object.keys(value))', () => {
        // Assigning this key would replace the prototype of the copy.
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

/** Writes statements that create `copy`, an object with the fields of `value`. */
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
 * Writes a function that copies plain JSON. V8 copies an object fast with a spread, unless that code has seen more than four
 * hidden classes. So each `Json` field has its own function.
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
  // After a spread, `__proto__` is an own key and can be assigned. `for in` also visits enumerable keys of a polluted
  // Object.prototype, hence the check for own keys.
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

/** Returns an expression that copies the value at `place`. */
function copyOf(code: FunctionWriter, plan: WirePlan, place: string): string {
  const copy = copyOfPresent(code, plan, place)
  const mayBeNullish = (plan.nullable || plan.undefinable) && copy !== place
  return mayBeNullish ? `${place} == null ? ${place} : ${copy}` : copy
}

function copyOfPresent(code: FunctionWriter, plan: WirePlan, place: string): string {
  switch (plan.kind) {
    case 'date':
      // getTime() throws for a value that is no Date. Copying the Date itself allocates no heap number for its time.
      return `(${place}.getTime(), new Date(${place}))`
    case 'decimal':
      // Immutable by contract.
      return plan.isOwn ? `${code.constant(decimalCopierFor(plan.Decimal))}(${place})` : place
    case 'bytes':
      return `${code.constant(scalarOf(plan)!.copy)}(${place})`
    case 'json':
    case 'object':
    case 'tuple':
    case 'array':
    case 'record':
    case 'union':
      return `${code.constant(writeCloner(plan).compile<Cloner>('value'))}(${place})`
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'bigint':
      return place
  }
}
