import type { QueryParams } from './internals.js'

/** Statements that change rows, without the words of locks and of referential actions. */
const writing = /\b(INSERT|UPDATE|DELETE|MERGE|TRUNCATE|COPY|CALL|REPLACE\s+INTO)\b/i
const harmless = /'(?:[^']|'')*'|\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b|\bON\s+(?:UPDATE|DELETE)\b/gi

/** Warns once of raw SQL that writes rows, unless it has a comment that begins with `model-cache:`. */
export function rawWriteWarning(warn: (message: string) => void): (params: QueryParams) => void {
  let hasWarned = false
  return ({ args, clientMethod }) => {
    if (hasWarned) return
    const sql = textOf(args)
    if (sql.includes('model-cache:') || !writing.test(sql.replaceAll(harmless, ' '))) return
    hasWarned = true
    warn(
      `model-cache: ${clientMethod ?? 'raw SQL'} writes through an extended client, and raw SQL does not show which rows. The caches have the old ` +
        'rows until their ttl ends, unless you call cache.invalidate(ids) in the same transaction, or follow the database (docs/follow.md). If ' +
        'you do, put the comment /* model-cache: invalidated */ into the SQL. Further statements are not warned of.',
    )
  }
}

/** The SQL of `$queryRaw`, which is an object, or of `$queryRawUnsafe`, which is the first of a list. */
function textOf(args: unknown): string {
  const [first = args] = Array.isArray(args) ? (args as unknown[]) : []
  const { sql } = Object(first) as { sql?: unknown }
  return String(typeof first === 'string' ? first : sql)
}
