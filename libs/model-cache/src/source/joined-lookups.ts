import type { WatchedLookup, WriteCoordinator, WrittenRow } from './write-coordinator.js'

/**
 * The lookups of a model whose entries a row may enter, or move in, when these fields of it change; all of them if the row is created.
 * A lookup that cannot be followed is always among them, one through a relation never: the row does not hold its key.
 */
export function lookupsJoined(
  coordinator: WriteCoordinator,
  model: string,
  changed: ReadonlySet<string> | undefined,
): readonly WatchedLookup[] {
  return coordinator
    .lookupsOf(model)
    .filter(
      ({ fields, through }) =>
        through === undefined && (!changed || !fields || fields.some((field) => changed.has(field))),
    )
}

/** The lookups through relations in which a row may move, or which it may enter, when these fields of it change. */
export function lookupsMovedIn(
  coordinator: WriteCoordinator,
  model: string,
  changed: ReadonlySet<string> | undefined,
): readonly WatchedLookup[] {
  if (!changed) return []
  return coordinator
    .lookupsOf(model)
    .filter(({ fields, through }) => through !== undefined && fields?.some((field) => changed.has(field)))
}

/** The lookups through a relation of the model. One that cannot be followed may be through any. */
export function lookupsThrough(
  coordinator: WriteCoordinator,
  model: string,
  relation: string,
): readonly WatchedLookup[] {
  return coordinator
    .lookupsOf(model)
    .filter(({ fields, key, through }) => (!key && !fields) || through === relation)
}

/** The fields of the keys of lookups, each once. */
export function keyFieldsOf(lookups: readonly WatchedLookup[]): readonly string[] {
  return [...new Set(lookups.flatMap(({ key }) => key ?? []))]
}

/** Whether a row shows each entry that it is in. One without a key cannot be shown by any row. */
export function showsEntries(lookups: readonly WatchedLookup[], row: WrittenRow): boolean {
  return lookups.every(
    ({ key }) => !key || isOutside(key, row) || key.every((field) => row[field] !== undefined),
  )
}

/** Whether a row is in no entry: null is no key. */
export function isOutside(key: readonly string[], row: WrittenRow): boolean {
  return key.some((field) => row[field] === null)
}
