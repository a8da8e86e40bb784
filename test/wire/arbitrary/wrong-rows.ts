import { Decimal } from '@prisma/client/runtime/client'
import fc from 'fast-check'
import { anyKey } from './nasty-strings.ts'
import type { PlanOf, WirePlan } from './plans.ts'
import { arbitraryOf, presentArbitraryOf } from './rows.ts'

/** A row with one value that its schema does not allow, and where that stands. */
export interface WrongRow {
  readonly row: unknown
  readonly path: readonly (string | number)[]
}

/** A field that is not there at all. */
const missing = Symbol('missing')

class Money {
  cents = 1
}

const texts = ['text', '', '5', '2024-10-26T09:12:19.363Z', 'true', 'null']
const primitives = [5, 0, -0, 1.5, Number.NaN, Infinity, -Infinity, true, false, 5n, 0n, null, undefined]
const dates = [new Date(0), new Date(Number.NaN)]
const binaries = [new Uint8Array(1), new ArrayBuffer(1), new Uint16Array(1), new DataView(new ArrayBuffer(1))]
const boxes = [Object('boxed'), Object(5), Object(5n), Object(false)] as unknown[]
const instances = [new Decimal(1), /pattern/, new Map(), new Set([1]), new Money(), Promise.resolve(1)]
const functions = [() => 1, class {}, Symbol('s'), Symbol.iterator]
const containers: unknown[] = [
  { toJSON: () => 1 },
  { valueOf: () => 5 },
  { a: 5n },
  [() => 1],
  [undefined, Number.NaN],
]

const values: readonly unknown[] = [
  ...texts,
  ...primitives,
  ...dates,
  ...binaries,
  ...boxes,
  ...instances,
  ...functions,
  ...containers,
]

/** Values of which none may stand at this place; those whose error has a longer path are left out. */
function wrongValuesOf(plan: WirePlan): readonly unknown[] {
  return values.filter((value) => {
    if (value === null) return !plan.nullable
    if (value === undefined) return !plan.undefinable
    switch (plan.kind) {
      case 'date':
        return !(value instanceof Date) || Number.isNaN(value.getTime())
      case 'decimal':
        return !Decimal.isDecimal(value)
      case 'bytes':
        return !(value instanceof Uint8Array)
      case 'number':
        return !Number.isFinite(value)
      case 'literal':
        return !plan.values.includes(value as never)
      case 'json':
        if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
          return 'toJSON' in Object(value)
        return (
          typeof value === 'object' || !['string', 'boolean', 'number'].includes(typeof value) || isOdd(value)
        )
      case 'array':
        return !Array.isArray(value)
      case 'tuple':
        return !Array.isArray(value) || value.length !== plan.items.length
      case 'object':
      case 'record':
      case 'union':
        return typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype
      default:
        return typeof value !== plan.kind
    }
  })
}

const isOdd = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value)

/** Rows with one wrong value at any depth. Null and undefined in place of a whole row are not wrong. */
export function wrongRowOf(plan: WirePlan): fc.Arbitrary<WrongRow> {
  return wrongAt({ ...plan, nullable: true, undefinable: true })
}

function wrongAt(plan: WirePlan, optional = true): fc.Arbitrary<WrongRow> {
  const found = wrongValuesOf(plan)
  const here = fc
    .constantFrom(...found, ...(optional || plan.undefinable ? [] : [missing]))
    .map((row): WrongRow => ({ row, path: [] }))
  const deeper = wrongBelow(plan)
  return deeper ? fc.oneof({ weight: 1, arbitrary: here }, { weight: 3, arbitrary: deeper }) : here
}

function wrongBelow(plan: WirePlan): fc.Arbitrary<WrongRow> | undefined {
  switch (plan.kind) {
    case 'object':
      return fc.tuple(presentArbitraryOf(plan), fc.nat(plan.fields.length - 1)).chain(([row, i]) => {
        const { name, optional, plan: inner } = plan.fields[i]!
        return wrongAt(inner, optional).map((wrong) => ({
          row: withEntry(row as object, name, wrong.row),
          path: [name, ...wrong.path],
        }))
      })
    case 'union':
      return fc.oneof(
        ...plan.branches.map((branch) =>
          wrongBelow(branch.plan)!.filter((wrong) => !isOtherBranch(plan, wrong)),
        ),
      )
    case 'array':
      return fc
        .tuple(fc.array(arbitraryOf(plan.items), { maxLength: 3 }), wrongAt(plan.items))
        .map(([items, wrong]) => ({ row: [...items, wrong.row], path: [items.length, ...wrong.path] }))
    case 'tuple':
      return fc
        .tuple(fc.tuple(...plan.items.map(arbitraryOf)), fc.nat(plan.items.length - 1))
        .chain(([items, i]) =>
          wrongAt(plan.items[i]!).map((wrong) => ({
            row: items.with(i, wrong.row),
            path: [i, ...wrong.path],
          })),
        )
    case 'record':
      return fc.tuple(presentArbitraryOf(plan), anyKey, wrongAt(plan.values)).map(([row, key, wrong]) => ({
        row: withEntry(row as object, key, wrong.row),
        path: [key, ...wrong.path],
      }))
    default:
      return undefined
  }
}

/** Whether what was put in place of a constant makes the row one of another branch. */
function isOtherBranch({ discriminator, branches }: PlanOf<'union'>, { row, path }: WrongRow): boolean {
  if (path.length !== 1 || path[0] !== discriminator || !Object.hasOwn(row as object, discriminator))
    return false
  const tag = (row as Record<string, unknown>)[discriminator]
  return branches.some((branch) => branch.constants.includes(tag as never))
}

function withEntry(row: object, key: string, value: unknown): object {
  const entries = Object.entries(row).filter(([name]) => name !== key)
  return Object.fromEntries(value === missing ? entries : [...entries, [key, value]])
}
