import type { Identifier, Node } from 'typescript'
import { fault, type Finding } from '../finding.js'
import type { SourceCode } from './source-code.js'

export interface RawWritesContext {
  /** Whether the log of the database is followed, so that raw SQL is seen. */
  readonly isFollowed: boolean
  /** Returns the text of a query of TypedSQL; undefined if it is not found. */
  readonly typedSql: (name: string) => string | undefined
}

/** Raw SQL that writes: `extendPrisma` does not see which rows. */
export function findRawWrites(files: readonly SourceCode[], context: RawWritesContext): Finding[] {
  return files.flatMap((file) =>
    file.nodes.filter(file.ts.isIdentifier).flatMap((method) => {
      const [name, kind, form] = /^\$(executeRaw|queryRaw)(Unsafe|Typed)?$/.exec(method.text) ?? []
      // The members of a type are no calls.
      if (name === undefined || file.ts.isTypeElement(method.parent) || file.isAcknowledged(method)) return []
      const given = argumentsOf(file, method)
      const sql = form === 'Typed' ? typedSqlOf(file, given, context) : given && textsIn(file, given)
      const effect = effectOf(sql, kind === 'executeRaw')
      return effect === 'none' ? [] : [findingOf(file.placeOf(method), name, effect, context)]
    }),
  )
}

/** What a method is called with, or the template that it tags; undefined if it is not called here. */
function argumentsOf({ ts }: SourceCode, method: Identifier): readonly Node[] | undefined {
  const callee = ts.isPropertyAccessExpression(method.parent) ? method.parent : method
  const call = callee.parent
  if (ts.isTaggedTemplateExpression(call)) return [call.template]
  return ts.isCallExpression(call) && call.expression === callee ? call.arguments : undefined
}

/** The texts that are written out, in one. */
function textsIn(file: SourceCode, nodes: readonly Node[]): string {
  const { ts } = file
  return nodes
    .flatMap((node) => file.within(node))
    .flatMap((node) => (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) ? node.text : []))
    .join(' ')
}

/** The text of `closeLots` in `$queryRawTyped(closeLots(1))`; undefined if it is not found. */
function typedSqlOf(
  file: SourceCode,
  [query]: readonly Node[] = [],
  { typedSql }: RawWritesContext,
): string | undefined {
  const name = query && file.ts.isCallExpression(query) && file.nameOf(query.expression)
  return name ? typedSql(name) : undefined
}

type Effect = 'writes' | 'unknown' | 'none'

/**
 * @param sql undefined if it is not known where it is run, and empty if it is put together elsewhere
 * @param isStatement whether it returns no rows, so that it is there for its effect
 */
function effectOf(sql: string | undefined, isStatement: boolean): Effect {
  if (sql === undefined) return 'unknown'
  if (sql === '') return isStatement ? 'writes' : 'unknown'
  const plain = sql.replaceAll(/\bFOR\s+(NO\s+KEY\s+)?UPDATE\b|\bON\s+(UPDATE|DELETE)\b/gi, ' ')
  return /\b(INSERT|UPDATE|DELETE|MERGE|TRUNCATE|COPY|CALL)\b/i.test(plain) ? 'writes' : 'none'
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
    `${name} writes without the caches knowing.`,
    isFollowed
      ? 'The follower invalidates what it writes, after the commit; a read in between may get the old rows.'
      : 'Its rows are stale until their ttl ends, unless `invalidate` is called.',
    `Call cache.invalidate(ids) in the same transaction, or follow the database (docs/follow.md). ${acknowledge}`,
    place,
  )
}
