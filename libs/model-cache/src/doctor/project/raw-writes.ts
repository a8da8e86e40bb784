import { fault, type Finding } from '../finding.js'
import { behindTypes, closingOf, isAcknowledged, placeOf, type SourceCode } from './source-code.js'

export interface RawWritesContext {
  /** Whether the log of the database is followed, so that raw SQL is seen. */
  readonly isFollowed: boolean
  /** Returns the text of a query of TypedSQL; undefined if it is not found. */
  readonly typedSql: (name: string) => string | undefined
}

/** Raw SQL that writes: `extendPrisma` does not see which rows. */
export function findRawWrites(files: readonly SourceCode[], context: RawWritesContext): Finding[] {
  return files.flatMap((file) =>
    Array.from(file.code.matchAll(/\$(executeRaw|queryRaw)(Unsafe|Typed)?\b/g)).flatMap((match) => {
      if (isAcknowledged(file, match.index)) return []
      const name = match[0]
      const sql = sqlBehind(file, match.index + name.length)
      const text = match[2] === 'Typed' ? typedText(sql, context) : sql
      const effect = effectOf(text, match[1] === 'executeRaw')
      return effect === 'none' ? [] : [findingOf(placeOf(file, match.index), name, effect, context)]
    }),
  )
}

/** The template or the arguments behind the name of the method; undefined if it is not called here. */
function sqlBehind({ code, text }: SourceCode, at: number): string | undefined {
  const start = behindTypes(code, at)
  if (code[start] === '`') return text.slice(start, endOfTemplate(code, start) + 1)
  return code[start] === '(' ? text.slice(start + 1, closingOf(code, start)) : undefined
}

/** The backtick that ends a template: those in its expressions come in pairs, within braces. */
function endOfTemplate(code: string, start: number): number {
  for (let i = start + 1; i < code.length; i++) {
    if (code[i] === '`') return i
    if (code[i] === '{') i = closingOf(code, i)
  }
  return code.length
}

function typedText(call: string | undefined, { typedSql }: RawWritesContext): string | undefined {
  const name = /^\s*(?:\w+\.)?(\w+)/.exec(call ?? '')?.[1]
  const text = name && typedSql(name)
  return text && `'${text}'`
}

type Effect = 'writes' | 'unknown' | 'none'

/** @param isStatement whether it returns no rows, so that it is there for its effect */
function effectOf(sql: string | undefined, isStatement: boolean): Effect {
  if (sql === undefined) return 'unknown'
  const plain = sql.replaceAll(/\bFOR\s+(NO\s+KEY\s+)?UPDATE\b|\bON\s+(UPDATE|DELETE)\b/gi, ' ')
  if (/\b(INSERT|UPDATE|DELETE|MERGE|TRUNCATE|COPY|CALL)\b/i.test(plain)) return 'writes'
  // A text that is put together elsewhere.
  const isWritten = /['"`]/.test(plain)
  if (isWritten) return 'none'
  return isStatement ? 'writes' : 'unknown'
}

function findingOf(
  place: string,
  name: string,
  effect: Exclude<Effect, 'none'>,
  { isFollowed }: RawWritesContext,
): Finding {
  const acknowledge = 'Mark the line with a comment: // model-cache: invalidated'
  if (effect === 'unknown')
    return fault(
      'note',
      'source.raw-unknown',
      `${name} runs SQL that is not written there.`,
      'If it writes, the caches do not see it.',
      `${acknowledge}, or // model-cache: reads`,
      place,
    )
  return fault(
    isFollowed ? 'note' : 'warning',
    'source.raw-write',
    `${name} writes past the caches.`,
    isFollowed
      ? 'The follower invalidates what it writes, after the commit; a read in between may get the old rows.'
      : 'Its rows are stale until their ttl ends, unless `invalidate` is called.',
    `Call cache.invalidate(ids) in the same transaction, or follow the database (docs/follow.md). ${acknowledge}`,
    place,
  )
}
