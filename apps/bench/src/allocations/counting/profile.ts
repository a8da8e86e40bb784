import type { HeapProfiler } from 'node:inspector'

/** What a stretch of code has allocated on the heap of JavaScript. */
export interface Allocated {
  readonly bytes: number
  readonly objects: number
  /** Bytes by the file whose code allocated them, as {@link fileOf} names it. */
  readonly byFile: Readonly<Record<string, number>>
}

/** What V8 answers with, of which its types know the half. */
export interface Profile extends HeapProfiler.SamplingHeapProfile {
  readonly samples: readonly { readonly size: number }[]
}

type Node = HeapProfiler.SamplingHeapProfileNode

/** Adds a profile up in which every object is a sample. */
export function sumOf({ head, samples }: Profile): Allocated {
  const byFile = new Map<string, number>()
  const visit = ({ callFrame, selfSize, children }: Node, caller: string): void => {
    // What V8 itself allocates, as in `Promise.all`, is on the account of who called it.
    const file = callFrame.url === '' ? caller : fileOf(callFrame.url)
    if (selfSize > 0) byFile.set(file, (byFile.get(file) ?? 0) + selfSize)
    for (const child of children) visit(child, file)
  }
  visit(head, 'V8')
  return {
    bytes: samples.reduce((sum, { size }) => sum + size, 0),
    objects: samples.length,
    byFile: Object.fromEntries(byFile),
  }
}

/** The library's files below its `src`, without their ending; of others the package, or `node`; `bench` for this one. */
export function fileOf(url: string): string {
  if (url.startsWith('node:')) return 'node'
  const library = /\/model-cache\/(?:dist|src)\/(.+)\.js$/.exec(url)
  if (library) return library[1]!
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? 'bench'
}

/** What is left when that of another stretch is taken away; files with nothing are left out. */
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
