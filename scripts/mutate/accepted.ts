/** Survivors that are explained: equivalent to the original, or not worth a test. */
import { readFileSync } from 'node:fs'
import type { Mutant } from './instrument.ts'

export interface Accepted {
  file: string
  original: string
  replacement: string
  why: string
}

/** An entry is found by its code, not by its line, which each change of the file moves. */
export class Acceptance {
  private readonly entries: ReadonlyMap<string, Accepted>

  constructor(path: string) {
    const entries = JSON.parse(readFileSync(path, 'utf8')) as Accepted[]
    this.entries = new Map(entries.map((entry) => [keyOf(entry), entry]))
  }

  has(mutant: Mutant): boolean {
    return this.entries.has(keyOf(mutant))
  }

  /** The entries of these files that no survivor needs. */
  stale(files: readonly string[], survivors: readonly Mutant[]): Accepted[] {
    const needed = new Set(survivors.map(keyOf))
    return [...this.entries.values()].filter(
      (entry) => files.includes(entry.file) && !needed.has(keyOf(entry)),
    )
  }
}

function keyOf({ file, original, replacement }: Omit<Accepted, 'why'>): string {
  return JSON.stringify([file, original, replacement])
}
