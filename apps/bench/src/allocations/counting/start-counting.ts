import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { MODES, type Mode } from './modes.ts'

/**
 * Counts cases in a process of its own.
 *
 * @param imports modules that the process loads first
 * @throws when it fails
 */
export async function countInProcess<Count>(
  mode: Mode,
  names: readonly string[],
  imports: readonly string[] = [],
): Promise<ReadonlyMap<string, Count>> {
  const child = fork(join(import.meta.dirname, 'count-process.ts'), [mode, ...names], {
    execArgv: [...MODES[mode].flags, ...imports.map((path) => `--import=${path}`)],
    // Within Jest this is not what a process would be given by itself.
    env: { ...process.env },
  })
  const counts = new Map<string, Count>()
  child.on('message', ([name, count]: [string, Count]) => counts.set(name, count))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  const missing = names.filter((name) => !counts.has(name))
  if (code === 0 && missing.length === 0) return counts
  throw new Error(
    `The process that counts ends with ${signal ?? code}, without ${missing.join(', ') || 'an error'}.`,
  )
}
