import type { InvalidationReport } from './report.js'

const MAX_LENGTH = 200

/** Returns the line of the log for an action. Keys of lookups are values of rows, and stay out of it. */
export function describeAction({ cache, target, isPending }: InvalidationReport, user: string): string {
  const root = cache.root === null ? '' : ` of the root ${quoted(cache.root)}`
  const pending = isPending ? ' The store has not taken it yet.' : ''
  return `Inspector: ${quoted(user)} invalidated ${described(target)} of ModelCache ${quoted(cache.name)}${root}.${pending}`
}

function described(target: InvalidationReport['target']): string {
  if ('id' in target) return `the row ${quoted(target.id)}`
  return 'lookup' in target ? `an entry of the lookup ${quoted(target.lookup)}` : 'all rows'
}

/** Text of requests cannot break the line, or change how a terminal shows it. */
function quoted(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  const escaped = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`
  return `"${cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}"\\]/gu, escaped)}"`
}
