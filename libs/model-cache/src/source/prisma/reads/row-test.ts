import type { Column } from '../../columns/column.js'
import type { AnsweringCache, CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'
import { isRefused } from './requested-ids.js'
import { membersOf, type WhereMember } from './where.js'

/** Conditions on rows, as the database decides them. */
export interface RowTest {
  /** Whether a row fulfils the conditions on its own fields that all rows have to. */
  holds(row: CachedRow): boolean
  /** The conditions on relations. Without them {@link holds} decides everything. */
  readonly relations: readonly RelationTest[]
  /** @param truths what the database says of each of {@link relations} for this row */
  truthOf(row: CachedRow, truths: readonly Truth[]): Truth
  /** The number of values that the conditions name, each of which is a parameter of the statement. */
  readonly values: number
}

/** A condition on a relation, which rows of other caches decide. */
export interface RelationTest {
  /** The caches that the test reads. */
  readonly caches: readonly AnsweringCache[]
  /** The number of values that it names. */
  readonly values: number
  /** Whether they decide it whatever rows there are. */
  readonly isCertain: boolean
  /** Returns what the database says of each row, or why only the database can. */
  truthsOf(rows: readonly CachedRow[]): Promise<readonly Truth[] | BypassReason>
}

/** What SQL says of a condition: true, false, or undefined for unknown, as null is neither equal to a value nor different from it. */
export type Truth = boolean | undefined
/** @param truths of the conditions on relations */
type Condition = (row: CachedRow, truths: readonly Truth[]) => Truth

/** Returns a field of a cache whose values are what the database has. */
export type FieldLookup = (name: string) => Column | undefined

/** Thrown where only the database knows what a condition, or an order, makes of the values of a row. */
export class Undecided extends Error {}

/** Returns the tests of a condition on a relation, all of which have to hold; undefined if caches do not decide it. */
export type RelationLookup = (
  name: string,
  condition: unknown,
) => readonly (RelationTest | NullTest)[] | undefined

/** A condition on a relation that the foreign key decides. */
export interface NullTest {
  /** The fields of the foreign key: there is no row at the other side if all are null. */
  readonly fields: readonly string[]
  readonly isNull: boolean
}

export interface TestedBy {
  readonly fieldOf: FieldLookup
  readonly relationOf: RelationLookup
}

/** Compiles the conditions that are left when a key or a list has been found in a `where`. Returns undefined if there are none. */
export function compileRowTest(
  members: readonly WhereMember[],
  testedBy: TestedBy,
): RowTest | BypassReason | undefined {
  if (members.length === 0) return undefined
  const compiler = new Compiler(testedBy)
  const own: Condition[] = []
  const all = members.map((member) => {
    const before = compiler.relations.length
    const condition = compiler.member(member)
    if (condition && compiler.relations.length === before) own.push(condition)
    return condition
  })
  const [condition, ownCondition] = [and(all), and(own)]
  if (!condition) return 'condition'
  const { relations, values } = compiler
  return {
    holds: ownCondition ? (row) => ownCondition(row, none) === true : () => true,
    relations,
    truthOf: condition,
    values,
  }
}

const none: readonly never[] = []

/** Returns undefined for everything that only Prisma and the database understand. */
class Compiler {
  readonly #fieldOf: FieldLookup
  readonly #relationOf: RelationLookup
  readonly relations: RelationTest[] = []
  values = 0

  constructor({ fieldOf, relationOf }: TestedBy) {
    this.#fieldOf = fieldOf
    this.#relationOf = relationOf
  }

  /** Without members there is nothing that Prisma is known to make of them. */
  #all(members: readonly WhereMember[] | undefined): Condition | undefined {
    return members && and(members.map((member) => this.member(member)))
  }

  member({ condition, name }: WhereMember): Condition | undefined {
    switch (name) {
      case 'OR':
        return Array.isArray(condition) ? or(condition.map((each) => this.#all(membersOf(each)))) : undefined
      case 'NOT':
        return and([condition].flat().map((each) => not(this.#all(membersOf(each)))))
      default: {
        const field = this.#fieldOf(name)
        return field ? this.#field(field, condition) : this.#relation(name, condition)
      }
    }
  }

  #relation(name: string, condition: unknown): Condition | undefined {
    const tests = this.#relationOf(name, condition)
    return (
      tests &&
      and(
        tests.map((test) => {
          if ('fields' in test)
            return (row) => test.fields.every((field) => row[field] === null) === test.isNull
          const position = this.relations.push(test) - 1
          this.values += test.values
          return (_, truths) => truths[position]
        }),
      )
    )
  }

  #field(field: Column, condition: unknown): Condition | undefined {
    if (!isPlain(condition)) return this.#equals(field, condition)
    return and(Object.keys(condition).map((name) => this.#operator(field, name, condition[name])))
  }

  #operator(field: Column, operator: string, operand: unknown): Condition | undefined {
    switch (operator) {
      case 'equals':
        return this.#equals(field, operand)
      case 'not':
        return isSimple(operand) ? not(this.#field(field, operand)) : undefined
      case 'in':
        return this.#oneOf(field, operand)
      case 'notIn':
        return not(this.#oneOf(field, operand))
      case 'lt':
        return this.#range(field, operand, (order) => order < 0)
      case 'lte':
        return this.#range(field, operand, (order) => order <= 0)
      case 'gt':
        return this.#range(field, operand, (order) => order > 0)
      case 'gte':
        return this.#range(field, operand, (order) => order >= 0)
      default:
        return undefined
    }
  }

  #equals(field: Column, operand: unknown): Condition | undefined {
    const { isNullable, name, type } = field
    // Prisma refuses null for other fields, and has other values for that of JSON.
    if (operand === null) return isNullable && type !== 'Json' ? (row) => row[name] === null : undefined
    const value = this.#value(field, operand)
    return value === undefined
      ? undefined
      : (row) => unlessNull(row[name], (own) => decided(field.isEqual(own, value)))
  }

  #oneOf(field: Column, operand: unknown): Condition | undefined {
    if (!field.takesLists || !Array.isArray(operand)) return undefined
    const values = Array.from(operand, (each) => this.#value(field, each))
    if (values.includes(undefined)) return undefined
    const { isEqual, name } = field
    // SQL has a result for no values, even of null.
    if (values.length === 0) return () => false
    return (row) =>
      unlessNull(row[name], (own) => {
        const equal = values.map((value) => isEqual(own, value))
        return equal.includes(true) || decided(equal.includes(undefined) ? undefined : false)
      })
  }

  #range(field: Column, operand: unknown, isIn: (order: number) => boolean): Condition | undefined {
    const { compare, hasRanges, name } = field
    if (!hasRanges || !compare) return undefined
    const value = this.#value(field, operand)
    return value === undefined
      ? undefined
      : (row) => unlessNull(row[name], (own) => isIn(decidedOrder(compare(own, value))))
  }

  #value({ isEqual, read }: Column, operand: unknown): unknown {
    this.values++
    const value = read?.(operand)
    if (value === undefined) return undefined
    if (isRefused(value)) return undefined
    // Not one of which two need not be equal: the false of a number.
    return isEqual(value, value) ? value : undefined
  }
}

/** Prisma negates each of several operators, and takes a `not` in another one for that. */
function isSimple(operand: unknown): boolean {
  return !isPlain(operand) || (Object.keys(operand).length === 1 && !('not' in operand))
}

function decided(isEqual: boolean | undefined): boolean {
  if (isEqual === undefined) throw new Undecided()
  return isEqual
}

/** @returns the order of two values, unless only the database knows it */
export function decidedOrder(order: number): number {
  if (Number.isNaN(order)) throw new Undecided()
  return order
}

function unlessNull(own: unknown, decide: (own: unknown) => boolean): Truth {
  return own === null ? undefined : decide(own)
}

function and(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const all = conditions.filter((condition) => condition !== undefined)
  if (all.length === 0 || all.length < conditions.length) return undefined
  if (all.length === 1) return all[0]
  return (row, truths) => {
    let result: Truth = true
    for (const condition of all) {
      const truth = condition(row, truths)
      if (truth === false) return false
      if (truth === undefined) result = undefined
    }
    return result
  }
}

function or(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  return not(and(conditions.map(not)))
}

function not(condition: Condition | undefined): Condition | undefined {
  return (
    condition &&
    ((row, truths) => {
      const truth = condition(row, truths)
      return truth === undefined ? undefined : !truth
    })
  )
}
