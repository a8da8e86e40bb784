import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { debianPackage } from './debian-package.ts'
import { firstProgram, programOnPath, type ProgramSource } from './find-program.ts'

interface MariadbProgram {
  /** `mariadbd`. */
  readonly command: string
  /** The folder that has `share`: `usr` of a package. */
  readonly home: string
  /** What it needs in its environment. */
  readonly env: Record<string, string>
  /** For example `10.11.14`. */
  readonly version: string
}

export interface FoundMariadb extends MariadbProgram {
  /** Where it was found, in words, for people. */
  readonly origin: string
}

const PACKAGE = 'mariadb-server-core'

const SOURCES: readonly ProgramSource<MariadbProgram>[] = [
  {
    origin: `Debian's package ${PACKAGE}`,
    find: async () => {
      const { bin, env } = await debianPackage(PACKAGE)
      return identify(join(dirname(bin), 'sbin/mariadbd'), env)
    },
  },
  { origin: 'mariadbd on PATH', find: async () => identify(programOnPath(['mariadbd'])) },
]

const ADVICE = [
  'No MariaDB was found. Any of these helps:',
  '- set MYSQL_URL to a running MySQL or MariaDB whose user may create databases, for example mysql://root@127.0.0.1:3306',
  `- have apt-get and dpkg-deb, so that the package ${PACKAGE} can be downloaded`,
  '- put mariadbd (10.11 or later) on PATH',
]

/** Finds a MariaDB to start: the one in Debian's package, which is downloaded once, else `mariadbd` on PATH. */
export function findMariadb(): Promise<FoundMariadb> {
  return firstProgram(SOURCES, ADVICE)
}

async function identify(command: string, env: Record<string, string> = {}): Promise<MariadbProgram> {
  // "mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu on x86_64 (Debian 12)"
  const options = { env: { ...process.env, ...env } }
  const { stdout } = await promisify(execFile)(command, ['--no-defaults', '--version'], options)
  const version = /\bVer (\d+(?:\.\d+)+)-MariaDB/.exec(stdout)?.[1]
  if (!version) throw new Error(`${command} --version answered ${JSON.stringify(stdout)}`)
  return { command, home: dirname(dirname(command)), env, version }
}
