import { refuseBranch } from './by-branch.js'
import { FunctionWriter, property } from './function-writer.js'
import { scalarOf } from './scalars.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'
import { writeBranches } from './write-branches.js'

/**
 * Serializes a value that matches its plan as JSON, with scalars as strings. Values that JSON loses are not among them: the json format
 * looks for these before.
 */
export type Stringify = (value: unknown) => string

/**
 * Compiles the serializer of a plan. fast-json-stringify would write the same bytes, but takes 50 ms to load, most of them for the
 * validator that it brings.
 */
export function compileStringifier(plan: WirePlan): Stringify {
  return writeStringifier(plan).compile<Stringify>('value')
}

/** Returns the source of a compiled serializer. */
export function stringifierSource(plan: WirePlan): string {
  return writeStringifier(plan).source('value')
}

function writeStringifier(plan: WirePlan): FunctionWriter {
  const code = new FunctionWriter().line(`let json = ''`)
  writeValue(code, plan, 'value')
  return code.line('return json')
}

function writeValue(code: FunctionWriter, plan: WirePlan, value: string): void {
  if (!plan.nullable) return writePresent(code, plan, value)
  code.line(`if (${value} === null) json += 'null'`)
  code.block('else', () => writePresent(code, plan, value))
}

function writePresent(code: FunctionWriter, plan: WirePlan, value: string): void {
  const scalar = scalarOf(plan)
  if (scalar) return void code.line(`json += '"' + ${code.constant(scalar.toText)}(${value}) + '"'`)
  switch (plan.kind) {
    case 'string':
      return void code.line(`json += ${code.constant(quote)}(${value})`)
    case 'number':
    case 'boolean':
      return void code.line(`json += ${value}`)
    case 'object':
      return writeObject(code, plan, value)
    case 'array':
      return writeItems(code, value, ['[', ']'], (i) => {
        writeValue(code, plan.items, assign(code, `${value}[${i}]`))
      })
    case 'tuple':
      return writeTuple(code, plan, value)
    case 'record':
      return writeRecord(code, plan, value)
    case 'union':
      return writeUnion(code, plan, value)
    default:
      return void code.line(`json += JSON.stringify(${value})`)
  }
}

/** Characters that JSON escapes, and halves of surrogate pairs, which it escapes if they are alone. */
// oxlint-disable-next-line no-control-regex -- JSON escapes these
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/

function quote(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`
}

function writeObject(code: FunctionWriter, plan: PlanOf<'object'>, value: string): void {
  const fields = inJsonOrder(plan.fields)
  if (fields.length === 0) return void code.line(`json += '{}'`)
  // After a field that every object has, what separates the next one is known.
  const known = fields[0]!.optional ? undefined : ['{', ...fields.slice(1).map(() => ',')]
  const separator = known ? '' : code.variable('separator')
  if (!known) code.line(`let ${separator} = '{'`)
  fields.forEach(({ name, optional, plan: field }, i) => {
    const key = `${JSON.stringify(name)}:`
    const write = (): void => {
      code.line(`json += ${known ? JSON.stringify(known[i] + key) : `${separator} + ${JSON.stringify(key)}`}`)
      if (!known) code.line(`${separator} = ','`)
      writeValue(code, field, assign(code, value + property(name)))
    }
    if (optional) code.block(`if (Object.hasOwn(${value}, ${JSON.stringify(name)}))`, write)
    else write()
  })
  code.line(`json += ${known ? `'}'` : `${separator} === '{' ? '{}' : '}'`}`)
}

/** The order of the keys of a JavaScript object, which has names such as `1` first. */
function inJsonOrder(fields: readonly PlanField[]): readonly PlanField[] {
  return Object.values(Object.fromEntries(fields.map((field) => [field.name, field])))
}

function writeTuple(code: FunctionWriter, { items }: PlanOf<'tuple'>, value: string): void {
  items.forEach((item, i) => {
    code.line(`json += '${i === 0 ? '[' : ','}'`)
    writeValue(code, item, assign(code, `${value}[${i}]`))
  })
  code.line(`json += '${items.length === 0 ? '[]' : ']'}'`)
}

function writeRecord(code: FunctionWriter, { values }: PlanOf<'record'>, value: string): void {
  const keys = assign(code, `Object.keys(${value})`)
  writeItems(code, keys, ['{', '}'], (i) => {
    code.line(`json += ${code.constant(quote)}(${keys}[${i}]) + ':'`)
    writeValue(code, values, assign(code, `${value}[${keys}[${i}]]`))
  })
}

function writeItems(
  code: FunctionWriter,
  list: string,
  [open, close]: readonly [open: string, close: string],
  write: (index: string) => void,
): void {
  const i = code.variable('i')
  code.line(`json += '${open}'`)
  code.block(`for (let ${i} = 0; ${i} < ${list}.length; ${i}++)`, () => {
    code.line(`if (${i} > 0) json += ','`)
    write(i)
  })
  code.line(`json += '${close}'`)
}

function writeUnion(code: FunctionWriter, plan: PlanOf<'union'>, value: string): void {
  writeBranches(
    code,
    plan,
    value,
    (branch) => (branch.kind === 'object' ? writeObject : writeUnion)(code, branch as never, value),
    `${code.constant(refuseBranch)}()`,
  )
}

function assign(code: FunctionWriter, expression: string): string {
  const name = code.variable('v')
  code.line(`const ${name} = ${expression}`)
  return name
}
