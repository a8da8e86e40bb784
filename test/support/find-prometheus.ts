import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { debianPackage } from './debian-package.ts'
import { firstProgram, programOnPath, type ProgramSource } from './find-program.ts'

const run = promisify(execFile)

interface PrometheusPrograms {
  prometheus: string
  promtool: string
  /** For example `2.42.0+ds`. */
  version: string
}

export interface FoundPrometheus extends PrometheusPrograms {
  /** Where it was found, in words, for people. */
  origin: string
}

const SOURCES: readonly ProgramSource<PrometheusPrograms>[] = [
  {
    origin: "Debian's package prometheus",
    find: async () => identify((await debianPackage('prometheus')).bin),
  },
  { origin: 'prometheus on PATH', find: async () => identify(dirname(programOnPath(['prometheus']))) },
]

const ADVICE = [
  'No Prometheus was found, and its tests do not run without one. Any of these helps:',
  '- have apt-get and dpkg-deb, so that the package prometheus can be downloaded',
  '- put prometheus and promtool (2.42 or later) on PATH: brew install prometheus',
]

let found: Promise<FoundPrometheus> | undefined

/**
 * Finds a Prometheus to start: `prometheus` and `promtool` of Debian's package, downloaded once and unpacked, not installed; else those
 * on PATH. Throws a message that says how to get one.
 */
export function findPrometheus(): Promise<FoundPrometheus> {
  return (found ??= firstProgram(SOURCES, ADVICE))
}

async function identify(bin: string): Promise<PrometheusPrograms> {
  const [prometheus, promtool] = [`${bin}/prometheus`, `${bin}/promtool`]
  await run(promtool, ['--version'])
  // "prometheus, version 2.42.0+ds (branch: …"; older ones say it on stderr.
  const { stdout, stderr } = await run(prometheus, ['--version'])
  const version = /version (\S+)/.exec(stdout + stderr)?.[1]
  if (!version) throw new Error(`${prometheus} --version answered ${JSON.stringify(stdout + stderr)}`)
  return { prometheus, promtool, version }
}
