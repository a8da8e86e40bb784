import type { HeapProfiler } from 'node:inspector'

/** Allocations on the JavaScript heap. */
export interface Allocated {
  readonly bytes: number
  readonly objects: number
  /** Bytes by file, as {@link fileOf} names it. */
  readonly byFile: Readonly<Record<string, number>>
}

/** A profile of V8, with the field that its types lack. */
export interface Profile extends HeapProfiler.SamplingHeapProfile {
  readonly samples: readonly { readonly size: number }[]
}

type Node = HeapProfiler.SamplingHeapProfileNode

/** Sums up a profile in which every object is a sample. */
export function sumOf({ head, samples }: Profile): Allocated {
  const byFile = new Map<string, number>()
  const visit = ({ callFrame, selfSize, children }: Node, caller: string): void => {
    // Allocations of V8 itself, as in `Promise.all`, count for the caller.
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

/** The path below the library's `src` without extension; for other files the package, `node` or `bench`. */
export function fileOf(url: string): string {
  if (url.startsWith('node:')) return 'node'
  const library = /\/model-cache\/(?:dist|src)\/(.+)\.js$/.exec(url)
  if (library) return library[1]!
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
