import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** Where commands run. */
export interface Place {
  /** A clone of the repository, whose tools come first on PATH. */
  readonly root: string
  /** Interrupts the command. */
  readonly signal?: AbortSignal
}

export interface Ended {
  readonly code: number | null
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
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const interrupt = (): void => void child.kill()
  signal?.addEventListener('abort', interrupt)
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  }).finally(() => signal?.removeEventListener('abort', interrupt))
  signal?.throwIfAborted()
  return { code, stdout, stderr }
}

/** Returns the output of a program. @throws with its error output when it fails */
export async function outputOf(place: Place, command: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(place, command, args)
  if (code === 0) return stdout.trim()
  throw new Error(`${command} ${args.join(' ')} has failed in ${place.root}:\n${(stderr || stdout).trim()}`)
}
