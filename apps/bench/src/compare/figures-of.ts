import type { Result } from '../result/result.ts'
import type { Figure } from '../figure.ts'
import { runCommand, type Place } from './run-command.ts'

/** Which suite runs how. */
export interface Run {
  readonly suite: string
  readonly only: readonly string[]
}

/**
 * Runs a quick look of a suite in a process of its own, in some checkout that is built.
 *
 * @param revision how messages call it
 * @throws when the revision has no such suite, or one without figures, or it fails
 */
export async function figuresOf(
  place: Place,
  revision: string,
  { suite, only }: Run,
): Promise<Readonly<Record<string, Figure>>> {
  const args = ['--quick', '--skip-build', '--json', ...only.flatMap((name) => ['--only', name])]
  const { stdout, stderr } = await runCommand(place, 'node', ['apps/bench/src/main.ts', suite, ...args])
  const result = parsed(stdout)
  if (!result) throw new Error(`${suite} has failed in ${revision}:\n${stderr.trim()}`)
  if (!result.figures) {
    throw new Error(`${revision} is older than the figures that are compared; name a later revision.`)
  }
  return result.figures
}

function parsed(text: string): Partial<Result> | undefined {
  try {
    return JSON.parse(text) as Partial<Result>
  } catch {
    return undefined
  }
}
