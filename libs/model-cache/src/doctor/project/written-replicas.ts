import { fault, type Finding } from '../finding.js'
import { literalIn, objectAt } from './object-literal.js'
import { isAcknowledged, placeOf, type SourceCode } from './source-code.js'

/** What the source says of `consistency.replicas`. */
export interface WrittenReplicas {
  /** The highest number that is written out; 0 if there is none. */
  readonly count: number
  /** Where it is computed, so that the number is unknown. */
  readonly computed: readonly Finding[]
}

export function findReplicas(files: readonly SourceCode[]): WrittenReplicas {
  let count = 0
  const computed: Finding[] = []
  for (const file of files) {
    for (const { index, 0: head } of file.code.matchAll(/\bconsistency\s*[:=]\s*\{/g)) {
      const written = objectAt(file, index + head.length - 1).properties.get('replicas')
      if (!written) continue
      const value = /^[\d_]+$/.test(written.text) ? literalIn(written.text) : undefined
      if (typeof value === 'number') count = Math.max(count, value)
      else if (!isAcknowledged(file, written.at)) computed.push(unknown(placeOf(file, written.at)))
    }
  }
  return { count, computed }
}

function unknown(at: string): Finding {
  return fault(
    'note',
    'source.unknown-replicas',
    'consistency.replicas is computed here, and its number is unknown.',
    'It was not checked whether the user may run `WAIT`, and whether enough replicas acknowledge writes.',
    'Give --replicas.',
    at,
  )
}
