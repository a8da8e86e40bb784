import type { SourceCall } from './source-call.js'

/** Rows that one call of a source waits for, which are loaded by calls of their own. */
export interface NestedGroup<Item> {
  /** Undefined for rows that no call waits for. */
  readonly caller: SourceCall | undefined
  /** The nearest call around the caller that loads the same rows, perhaps among others. */
  readonly again: SourceCall | undefined
  readonly items: Item[]
}

/** The items of a group, which is added if there is none. */
export function itemsOf<Item>(
  groups: NestedGroup<Item>[],
  caller: SourceCall | undefined,
  again: SourceCall | undefined,
): Item[] {
  const known = groups.find((group) => group.caller === caller && group.again === again)
  if (known) return known.items
  const items: Item[] = []
  groups.push({ caller, again, items })
  return items
}

/**
 * How many rows of a group one call loads. Rows that are loaded again are fewer than the call around them has, or each is alone: so a row
 * that needs itself ends in a call that has no other row, which tells it from one that shares a call with the row that it is for.
 */
export function rowsPerCall({ again, items }: NestedGroup<unknown>, maxIds: number): number {
  return again && items.length >= again.size ? 1 : maxIds
}
