import type { HeapProfiler } from 'node:inspector'

/** Allocations on the JavaScript heap. */
export interface Allocated {
  readonly bytes: number
  readonly objects: number
  /** Bytes by file, as {@link fileOf} names it. */
  readonly byFile: Readonly<Record<string, number>>
}

/** A profile of V8, with the fields that its types lack. */
export interface Profile {
  readonly head: Node
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly size: number
  /** Where it was allocated. */
  readonly nodeId: number
  /** In the order of allocation. */
  readonly ordinal: number
}

interface Node extends HeapProfiler.SamplingHeapProfileNode {
  readonly id: number
  readonly children: Node[]
}

/** Sums up what a profile, in which every object is a sample, has after the last allocation of a function. */
export function sumAfter(functionName: string, { head, samples }: Profile): Allocated {
  const files = new Map<number, string>()
  const marks = new Set<number>()
  const visit = ({ id, callFrame, children }: Node, caller: string): void => {
    // Allocations of V8 itself, as in `Promise.all`, count for the caller.
    const file = callFrame.url === '' ? caller : fileOf(callFrame.url)
    files.set(id, file)
    if (callFrame.functionName === functionName) marks.add(id)
    for (const child of children) visit(child, file)
  }
  visit(head, 'V8')
  const isMark = ({ nodeId }: Sample): boolean => marks.has(nodeId)
  const mark = Math.max(...samples.filter(isMark).map(({ ordinal }) => ordinal))
  const counted = samples.filter(({ ordinal }) => ordinal > mark)
  const byFile: Record<string, number> = {}
  for (const { nodeId, size } of counted) {
    const file = files.get(nodeId)!
    byFile[file] = (byFile[file] ?? 0) + size
  }
  return { bytes: counted.reduce((sum, { size }) => sum + size, 0), objects: counted.length, byFile }
}

/** The path below the `src` of a package of ours, without extension; for other files the package, `node` or `bench`. */
export function fileOf(url: string): string {
  if (url.startsWith('node:')) return 'node'
  const own = /\/(model-cache|event-loop)\/dist\/esm\/(.+)\.js$/.exec(url)
  if (own) return own[1] === 'model-cache' ? own[2]! : `${own[1]}/${own[2]}`
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? 'bench'
}

/** Subtracts other allocations; files with nothing left are left out. */
export function less(all: Allocated, other: Allocated): Allocated {
  const byFile = Object.keys(all.byFile)
    .map((file) => [file, all.byFile[file]! - (other.byFile[file] ?? 0)] as const)
    .filter(([, bytes]) => bytes !== 0)
  return {
    bytes: all.bytes - other.bytes,
    objects: all.objects - other.objects,
    byFile: Object.fromEntries(byFile),
  }
}
