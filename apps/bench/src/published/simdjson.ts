import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { say } from '../harness/progress.ts'

const require = createRequire(import.meta.url)
/** Found when it is needed: the list of suites needs no packages of others. */
const folder = (): string => dirname(require.resolve('simdjson/package.json'))
/** The addon itself: without it the package silently falls back to JSON. */
const addon = (): string => join(folder(), 'build/Release/simdjson.node')
const BUILD_DEADLINE_MS = 120_000

/** The native parser of npm's `simdjson`. */
export interface Simdjson {
  /** As `JSON.parse`, without a reviver. */
  parse(text: string): unknown
  /** Parses without creating objects. */
  lazyParse(text: string): { valueForKeyPath(path: string): unknown }
}

/** @throws when it has not been built; see {@link buildSimdjson} */
export const loadSimdjson = (): Simdjson => require(addon()) as Simdjson

/**
 * Builds the addon if it is missing: `npm ci` does not, and it needs a compiler, Python and Node's headers.
 *
 * @returns why it is not available, in one line; undefined when it is
 */
export function buildSimdjson(): string | undefined {
  if (!existsSync(addon())) {
    say('Building simdjson …')
    const options = { cwd: folder(), shell: true, encoding: 'utf8', timeout: BUILD_DEADLINE_MS } as const
    const { status, stdout, stderr, error } = spawnSync('npm run build', options)
    if (status !== 0) return error?.message ?? /^.*\berror: .+$/im.exec(`${stderr}\n${stdout}`)?.[0] ?? stderr
  }
  try {
    loadSimdjson()
    return undefined
  } catch (error) {
    return (error as Error).message.split('\n')[0]!
  }
}
