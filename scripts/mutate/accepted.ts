/** Survivors that are explained: equivalent to the original, or not worth a test. One file for each folder of the library. */
import { existsSync, readFileSync } from 'node:fs'
import type { Mutant } from './mutant.ts'

/**
 * By the path of a source file in its folder and by the reason: changes as {@link changeOf} prints them, or the code alone if any
 * replacement of it survives. They are found by their code, not by their line, which each change of the file moves.
 */
type Accepted = Record<string, Record<string, readonly string[]>>

export class Acceptance {
  /** By file. */
  private readonly changes: ReadonlyMap<string, ReadonlySet<string>>

  /**
   * @param path a file of explanations; none are known if it does not exist
   * @param folder of the source files
   */
  constructor(path: string, folder: string) {
    const accepted = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Accepted) : {}
    this.changes = new Map(
      Object.entries(accepted).map(([file, reasons]) => [
        `${folder}/${file}`,
        new Set(Object.values(reasons).flat()),
      ]),
    )
  }

  has(mutant: Mutant): boolean {
    return this.entriesOf(mutant).length > 0
  }

  /** The changes of these files that no survivor needs, each with its file. */
  stale(files: readonly string[], survivors: readonly Mutant[]): string[] {
    const entries = (file: string, changes: Iterable<string>) =>
      [...changes].map((change) => `${file} ${change}`)
    const needed = new Set(survivors.flatMap((mutant) => entries(mutant.file, this.entriesOf(mutant))))
    return files
      .flatMap((file) => entries(file, this.changes.get(file) ?? []))
      .filter((entry) => !needed.has(entry))
  }

  private entriesOf(mutant: Mutant): string[] {
    const ofFile = this.changes.get(mutant.file)
    return [changeOf(mutant), shortened(mutant.original)].filter((change) => ofFile?.has(change))
  }
}

/** `a > b → true` */
export function changeOf({ original, replacement }: Mutant): string {
  return `${shortened(original)} → ${shortened(replacement)}`
}

function shortened(code: string): string {
  return code.length > 90 ? `${code.slice(0, 60)} … ${code.slice(-25)}` : code
}
