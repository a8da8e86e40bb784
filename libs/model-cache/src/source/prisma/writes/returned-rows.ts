import { isPlain } from '../../plain.js'
import { isSkipped } from '../argument-values.js'
import type { Args } from '../internals.js'

/** Arguments that make a query return additional fields, and those fields. */
export interface WithFields {
  readonly args: Args
  readonly added: readonly string[]
}

/**
 * Adds fields to what a query returns of a row. A query that returns nothing stays as it is: Prisma refuses it.
 *
 * @param all the scalar fields of the model
 * @param omitted the fields that the client omits from all results
 */
export function withFields(
  args: Args,
  fields: readonly string[],
  all: Iterable<string>,
  omitted: Args = {},
): WithFields {
  const { select, include, omit } = args
  if (isPlain(select) && !Object.values(select).some(isAsked)) return { args, added: [] }
  if (isPlain(select)) {
    const added = fields.filter((field) => select[field] !== true)
    return { args: { ...args, select: { ...select, ...toAll(added, true) } }, added }
  }
  const omits: Args = isPlain(omit) ? { ...omitted, ...omit } : omitted
  const includes = isPlain(include) && Object.values(include).some(isAsked)
  if (!includes && [...all].every((field) => omits[field] === true)) return { args, added: [] }
  const added = fields.filter((field) => omits[field] === true)
  if (added.length === 0) return { args, added }
  return { args: { ...args, omit: { ...(omit as object | undefined), ...toAll(added, false) } }, added }
}

/**
 * Hides fields of a row that the caller did not select. They are not deleted, because computed fields of an extension
 * may need them; Prisma hides those in its own way.
 */
export function hideFields(row: object, fields: readonly string[]): void {
  for (const field of fields) Object.defineProperty(row, field, { enumerable: false })
}

function isAsked(value: unknown): boolean {
  return Boolean(value) && !isSkipped(value)
}

function toAll(fields: readonly string[], value: boolean): Record<string, boolean> {
  return Object.fromEntries(fields.map((field) => [field, value]))
}
