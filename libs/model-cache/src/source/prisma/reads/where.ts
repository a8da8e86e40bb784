import { isPlain } from '../../plain.js'

/** One condition of a `where`: of a field, a relation or a key of several fields, or `OR` or `NOT`. All conditions of a `where` hold. */
export interface WhereMember {
  readonly name: string
  readonly condition: unknown
  /** Whether it is outside of `AND`. */
  readonly isOutermost: boolean
}

/** The conditions of a `where`, with those in its `AND`; undefined if it is not an object, or its `AND` is no list of such. */
export function membersOf(where: unknown): readonly WhereMember[] | undefined {
  const members: WhereMember[] = []
  return addMembers(members, where, true) ? members : undefined
}

/** The conditions of `{ some: {...} }`, or of another operator; undefined if it is not the only one. */
export function membersOfOperator(condition: unknown, operator: string): readonly WhereMember[] | undefined {
  const isOnly = isPlain(condition) && Object.keys(condition).join() === operator
  return isOnly ? membersOf(condition[operator]) : undefined
}

function addMembers(members: WhereMember[], where: unknown, isOutermost: boolean): boolean {
  if (!isPlain(where)) return false
  for (const name in where) {
    const condition = where[name]
    if (name !== 'AND') members.push({ name, condition, isOutermost })
    else if (![condition].flat().every((each) => addMembers(members, each, false))) return false
  }
  return true
}
