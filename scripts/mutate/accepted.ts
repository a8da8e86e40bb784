/** Survivors that are explained: equivalent to the original, or not worth a test. */
import { readFileSync } from 'node:fs'
import type { Mutant } from './instrument.ts'

export interface Accepted {
  file: string
  original: string
  /** Any if undefined. */
  replacement?: string
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
    return this.entriesOf(mutant).length > 0
  }

  /** The entries of these files that no survivor needs. */
  stale(files: readonly string[], survivors: readonly Mutant[]): Accepted[] {
    const needed = new Set(survivors.flatMap((mutant) => this.entriesOf(mutant)))
    return [...this.entries.values()].filter((entry) => files.includes(entry.file) && !needed.has(entry))
  }

  private entriesOf({ file, original, replacement }: Mutant): Accepted[] {
    const keys = [keyOf({ file, original, replacement }), keyOf({ file, original })]
    return keys.flatMap((key) => this.entries.get(key) ?? [])
  }
}

function keyOf({ file, original, replacement }: Omit<Accepted, 'why'>): string {
  return JSON.stringify([file, original, replacement])
}
