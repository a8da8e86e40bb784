import { chosenDatabases, type DatabaseKind } from './databases.ts'

/**
 * Describes a behaviour on those of these databases that the run has: DATABASES may leave them out, and a machine may have no server.
 * Jest refuses a file without tests, so the one that is left says why there is no other.
 */
export function describeOn(
  names: readonly string[],
  title: string,
  specs: (kind: DatabaseKind) => void,
): void {
  const kinds = chosenDatabases(names)
  for (const kind of kinds) describe(title.replace('$name', kind.name), () => specs(kind))
  if (kinds.length === 0) it(`nothing runs, because this run has no ${names.join(' or ')}`, () => {})
}
