import { encodeError } from '../errors.js'
import { byBranch } from './by-branch.js'
import { maxJsonDepth } from './plain-json.js'
import { ownFieldOf, isPlainObject } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { Constant, Path, PlanOf, WirePlan } from './wire-plan.js'
import { showPath } from './wire-plan.js'

/** A value that JSON would lose: its path, and what it is. */
export type Exception = readonly [path: Path, value: 'undefined' | '-0']

/**
 * Checks a row against its plan before it is written.
 *
 * @returns the values that JSON would lose (`undefined`, `-0`), or null if there are none, which is the usual case
 * @throws ModelCacheError (`E_ENCODE`) naming model, path, expected and actual
 */
export type Checker = (row: unknown) => readonly Exception[] | null

export function createChecker(plan: WirePlan, model: string): Checker {
  const check = checkOf(plan)
  return (row) => {
    const visit: Visit = { model, path: [], jsonStart: 0, exceptions: null }
    check(row, visit)
    return visit.exceptions
  }
}

interface Visit {
  readonly model: string
  readonly path: (string | number)[]
  /** Length of the path to the `Json` field that is being visited. */
  jsonStart: number
  exceptions: Exception[] | null
}

type Check = (value: unknown, visit: Visit) => void

function checkOf(plan: WirePlan): Check {
  const present = checkOfPresent(plan)
  const expected = expectedOf(plan)
  return (value, visit) => {
    if (value === null) {
      if (!plan.nullable) reject(visit, expected, value)
    } else if (value === undefined) {
      if (!plan.undefinable) reject(visit, expected, value)
      except(visit, 'undefined')
    } else present(value, visit)
  }
}

function checkOfPresent(plan: WirePlan): Check {
  const expected = expectedOf(plan)
  const scalar = scalarOf(plan)
  if (scalar) {
    return (value, visit) => {
      if (!scalar.accepts(value)) reject(visit, expected, value)
      if (scalar.isNegativeZero?.(value)) except(visit, '-0')
    }
  }
  switch (plan.kind) {
    case 'number':
      return checkNumber
    case 'literal':
      return (value, visit) => {
        if (!plan.values.includes(value as never)) reject(visit, expected, value)
        if (Object.is(value, -0)) except(visit, '-0')
      }
    case 'json':
      return (value, visit) => {
        visit.jsonStart = visit.path.length
        checkJson(value, visit)
      }
    case 'object':
      return checkOfObject(plan.fields.map((field) => ({ ...field, check: checkOf(field.plan) })))
    case 'array':
      return checkOfArray(checkOf(plan.items))
    case 'tuple':
      return checkOfTuple(plan.items.map(checkOf), expected)
    case 'record':
      return checkOfRecord(checkOf(plan.values))
    case 'union':
      return checkOfUnion(plan)
    default:
      return (value, visit) => {
        if (typeof value !== plan.kind) reject(visit, expected, value)
      }
  }
}

const checkNumber: Check = (value, visit) => {
  if (!Number.isFinite(value)) reject(visit, 'a finite number', value)
  if (value === 0 && Object.is(value, -0)) except(visit, '-0')
}

function checkOfObject(fields: readonly { name: string; optional: boolean; check: Check }[]): Check {
  return (value, visit) => {
    if (!isPlainObject(value)) return reject(visit, 'a plain object', value)
    for (const { name, optional, check } of fields) {
      const field = ownFieldOf(value, name)
      const isMissing = field === undefined && !Object.hasOwn(value, name)
      if (isMissing && optional) continue
      visit.path.push(name)
      if (isMissing) reject(visit, 'a value', undefined)
      check(field, visit)
      visit.path.pop()
    }
  }
}

function checkOfArray(check: Check): Check {
  return (value, visit) => {
    if (!Array.isArray(value)) return reject(visit, 'an array', value)
    for (let i = 0; i < value.length; i++) {
      visit.path.push(i)
      if (value[i] === undefined && !(i in value)) reject(visit, 'no hole in the array', undefined)
      check(value[i], visit)
      visit.path.pop()
    }
  }
}

function checkOfTuple(checks: readonly Check[], expected: string): Check {
  return (value, visit) => {
    if (!Array.isArray(value) || value.length !== checks.length) return reject(visit, expected, value)
    for (let i = 0; i < checks.length; i++) {
      visit.path.push(i)
      checks[i]!(value[i], visit)
      visit.path.pop()
    }
  }
}

function checkOfRecord(check: Check): Check {
  return (value, visit) => {
    if (!isPlainObject(value)) return reject(visit, 'a plain object', value)
    for (const [key, entry] of Object.entries(value)) {
      visit.path.push(key)
      check(entry, visit)
      visit.path.pop()
    }
  }
}

function checkOfUnion(plan: PlanOf<'union'>): Check {
  const checkFor = byBranch(plan, checkOfPresent)
  const expected = oneOf(plan.branches.flatMap((branch) => branch.constants))
  return (value, visit) => {
    if (!isPlainObject(value)) return reject(visit, 'a plain object', value)
    const check = checkFor(value)
    if (check) return check(value, visit)
    visit.path.push(plan.discriminator)
    reject(visit, expected, ownFieldOf(value, plan.discriminator))
  }
}

/** Refuses everything in a `Json` field that `JSON.stringify` would convert or drop. */
function checkJson(value: unknown, visit: Visit): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return
    case 'number':
      return checkNumber(value, visit)
    case 'undefined':
      return except(visit, 'undefined')
    case 'object':
      if (value === null) return
      if (visit.path.length - visit.jsonStart >= maxJsonDepth) {
        return reject(visit, `JSON nested no deeper than ${maxJsonDepth}`, value)
      }
      if (Array.isArray(value)) return checkJsonArray(value, visit)
      if (isPlainObject(value) && typeof value.toJSON !== 'function') return checkJsonObject(value, visit)
  }
  reject(visit, 'plain JSON', value)
}

const checkJsonArray = checkOfArray(checkJson)
const checkJsonObject = checkOfRecord(checkJson)

function except(visit: Visit, value: Exception[1]): void {
  visit.exceptions ??= []
  visit.exceptions.push([[...visit.path], value])
}

function reject(visit: Visit, expected: string, actual: unknown): never {
  throw encodeError(visit.model, showPath(visit.path), expected, actual)
}

function expectedOf(plan: WirePlan): string {
  const what = expectedPresent(plan)
  return what + (plan.nullable ? ' or null' : '') + (plan.undefinable ? ' or undefined' : '')
}

function expectedPresent(plan: WirePlan): string {
  switch (plan.kind) {
    case 'literal':
      return plan.values.length === 0 ? 'nothing' : oneOf(plan.values)
    case 'json':
      return 'plain JSON'
    case 'object':
    case 'record':
    case 'union':
      return 'a plain object'
    case 'array':
      return 'an array'
    case 'tuple':
      return `an array of ${plan.items.length}`
    case 'number':
      return 'a finite number'
    default:
      return scalarOf(plan)?.expected ?? `a ${plan.kind}`
  }
}

function oneOf(constants: readonly Constant[]): string {
  return `one of ${constants.map((constant) => JSON.stringify(constant)).join(', ')}`
}
