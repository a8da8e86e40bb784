import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { say } from '../progress.ts'
import { reasonOf } from './reason-of.ts'

const require = createRequire(import.meta.url)
const FOLDER = dirname(require.resolve('simdjson/package.json'))
/** The addon itself: without it the package quietly gives JSON under its own name. */
const ADDON = join(FOLDER, 'build/Release/simdjson.node')
const BUILD_DEADLINE_MS = 120_000

/** The native parser of npm's `simdjson`. */
export interface Simdjson {
  /** As `JSON.parse`, without a reviver. */
  parse(text: string): unknown
  /** Reads the text without making objects of it. */
  lazyParse(text: string): { valueForKeyPath(path: string): unknown }
}

/** @throws when it has not been built; see {@link buildSimdjson} */
export function loadSimdjson(): Simdjson {
  return require(ADDON) as Simdjson
}

/**
 * Builds the addon, which takes a compiler, Python and Node's headers and which `npm ci` does not do, unless it is there.
 *
 * @returns why it cannot be had, in one line; undefined when it can
 */
export function buildSimdjson(): string | undefined {
  if (!existsSync(ADDON)) {
    say('Building simdjson …')
    const { status, stdout, stderr, error } = spawnSync('npm run build', {
      cwd: FOLDER,
      shell: true,
      encoding: 'utf8',
      timeout: BUILD_DEADLINE_MS,
    })
    if (status !== 0) return reasonOf(error ? error.message : `${stderr}\n${stdout}`)
  }
  try {
    loadSimdjson()
    return undefined
  } catch (error) {
    return reasonOf((error as Error).message)
  }
}
