import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** Where commands run. */
export interface Place {
  /** A clone of the repository, whose tools come first on PATH. */
  readonly root: string
  /** Interrupts the command. */
  readonly signal?: AbortSignal
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. @throws when it cannot be started or was interrupted */
export async function runCommand(
  { root, signal }: Place,
  command: string,
  args: readonly string[],
): Promise<Ended> {
  signal?.throwIfAborted()
  const env = { ...process.env, PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH }
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: root, env, signal, maxBuffer: Infinity }, (error, stdout, stderr) => {
      if (signal?.aborted) reject(signal.reason as Error)
      else if (typeof error?.code === 'string') reject(error)
      else resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

/** Returns the output of a program. @throws with its error output when it fails */
export async function outputOf(place: Place, command: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(place, command, args)
  if (code === 0) return stdout.trim()
  throw new Error(`${command} ${args.join(' ')} has failed in ${place.root}:\n${(stderr || stdout).trim()}`)
}
