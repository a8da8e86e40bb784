import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** Where commands run. */
export interface Place {
  /** A clone of the repository, whose tools come first on PATH. */
  readonly root: string
  /** Interrupts the command. */
  readonly signal?: AbortSignal
}

/** Runs a program to its end. Returns its output, and why it has failed. @throws when it was interrupted */
export async function runCommand(
  { root, signal }: Place,
  command: string,
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly failure?: Error }> {
  signal?.throwIfAborted()
  const env = { ...process.env, PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH }
  try {
    return await promisify(execFile)(command, args, { cwd: root, env, signal, maxBuffer: Infinity })
  } catch (error) {
    signal?.throwIfAborted()
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    const reason = (stderr || stdout || message).trim()
    const failure = new Error(`${command} ${args.join(' ')} has failed in ${root}:\n${reason}`, {
      cause: error,
    })
    return { stdout, failure }
  }
}

/** Returns the output of a program. @throws with its error output when it fails */
export async function outputOf(place: Place, command: string, ...args: readonly string[]): Promise<string> {
  const { stdout, failure } = await runCommand(place, command, ...args)
  if (failure) throw failure
  return stdout.trim()
}
