import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const env = {
  ...process.env,
  PATH: join(import.meta.dirname, '../../node_modules/.bin') + delimiter + process.env.PATH,
  // Generating never runs the engine, but downloads one unless this names a file.
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
}

/**
 * Runs a program, those of node_modules/.bin first.
 *
 * @param variables of its environment, besides those of this process
 * @throws Error with what the program printed
 */
export async function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd, env: { ...env, ...variables } })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
