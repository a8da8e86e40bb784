import { queriesOf, type Write } from './random-write.ts'

/** The error of a write on each of two equal databases: its code or name; undefined without one. */
export interface Errors {
  readonly expected: string | undefined
  readonly actual: string | undefined
}

/**
 * Whether a write breaks a unique constraint and a foreign key, and each database reports another one. A nested `deleteMany` deletes its
 * rows in one statement. PostgreSQL reports what the first of them breaks, and which one is first depends on where the rows are stored, with
 * and without the extension. As the databases are equal, the write breaks both constraints in either of them.
 */
export function breaksBoth(write: Write, { actual, expected }: Errors): boolean {
  const codes = [expected, actual].toSorted().join()
  return codes === 'P2002,P2003' && hasNestedDeleteMany(write)
}

/** Which of its rows breaks a constraint first depends on where they are stored. */
export function hasNestedDeleteMany(write: Write): boolean {
  return queriesOf(write).some(({ args }) => hasNestedDelete(args))
}

function hasNestedDelete(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => key === 'deleteMany' || hasNestedDelete(inner))
}
