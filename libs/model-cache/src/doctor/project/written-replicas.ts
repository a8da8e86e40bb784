import type { Node } from 'typescript'
import { fault, type Finding } from '../finding.js'
import type { SourceCode } from './source-code.js'

/** What the source says of `consistency.replicas`. */
export interface WrittenReplicas {
  /** The highest number that is written out; 0 if there is none. */
  readonly count: number
  /** Where it is computed, so that the number is unknown. */
  readonly computed: readonly Finding[]
}

export function findReplicas(files: readonly SourceCode[]): WrittenReplicas {
  const counts = [0]
  const computed: Finding[] = []
  for (const file of files) {
    const { ts } = file
    for (const node of file.nodes) {
      if (!ts.isObjectLiteralElement(node) || file.declaredName(node) !== 'replicas') continue
      if (ownerOf(file, node.parent) !== 'consistency') continue
      if (ts.isPropertyAssignment(node) && ts.isNumericLiteral(node.initializer))
        counts.push(Number(node.initializer.text))
      else if (!file.isAcknowledged(node)) computed.push(unknown(file.placeOf(node)))
    }
  }
  return { count: Math.max(...counts), computed }
}

/** The name of the variable or property whose value an object is. */
function ownerOf(file: SourceCode, object: Node): string | undefined {
  const { ts } = file
  let { parent } = object
  while (ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent)) parent = parent.parent
  return file.declaredName(parent)
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
