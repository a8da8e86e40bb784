/** `npx model-cache` as users run it, in a process of its own from what is built; or in this process, which takes a tenth of the time. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { runCommandLine } from '../../../libs/cli/src/run-command-line.js'
import { builtCommand, builtLibrary } from '../../support/build-library.js'

/** A finding of `doctor --json`. */
export interface Finding {
  readonly id: string
  readonly severity: 'error' | 'warning' | 'note' | 'ok'
  readonly found: string
  readonly meaning?: string
  readonly remedy?: string
}

export interface Diagnosis {
  readonly version: number
  readonly findings: readonly Finding[]
  readonly summary: Readonly<Record<Finding['severity'], number>>
}

export interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly node?: readonly string[]
  /** What it reads from its standard input. */
  readonly input?: string
}

export interface CommandLine {
  run(args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs `doctor --json`. */
  diagnose(args: readonly string[], options?: RunOptions): Promise<EndedDiagnosis>
}

type EndedDiagnosis = Diagnosis & { readonly code: number }

/** Builds the library once for a spec. */
export function useCommandLine(): CommandLine {
  let library: string
  beforeAll(async () => {
    library = await builtLibrary()
  })

  const run: CommandLine['run'] = async (
    args,
    { cwd = import.meta.dirname, env = {}, input = '', node = [] } = {},
  ) => {
    const main = builtCommand(library)
    const child = spawn(process.execPath, [...node, main, ...args], {
      cwd,
      // Dozens of processes import the same modules.
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(library, '../../../../../compiled'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.on('error', () => {}).end(input)
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number]>,
    ])
    return { code, output, errors }
  }
  return {
    run,
    diagnose: async (args, options) => diagnosisIn(await run(['doctor', '--json', ...args], options)),
  }
}

/** Runs a command in this process. */
export async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [output, errors]: [string[], string[]] = [[], []]
  const code = await runCommandLine(args, {
    line: (text) => void output.push(`${text}\n`),
    errorLine: (text) => void errors.push(`${text}\n`),
    folder: import.meta.dirname,
    environment,
  })
  return { code, output: output.join(''), errors: errors.join('') }
}

/** Latency is a finding only with a deadline in the arguments: it depends on what this machine does besides. */
export async function diagnose(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<EndedDiagnosis> {
  return diagnosisIn(await run(['doctor', '--json', '--deadline-ms', '60000', ...args], environment))
}

function diagnosisIn({ code, errors, output }: Ended): EndedDiagnosis {
  if (errors !== '') throw new Error(errors)
  return { ...(JSON.parse(output) as Diagnosis), code }
}

/** What is not as it should be: `error valkey.role`. */
export function faultsIn({ findings }: Diagnosis): string[] {
  return findings.flatMap(({ id, severity }) =>
    severity === 'ok' || severity === 'note' ? [] : [`${severity} ${id}`],
  )
}

export function findingOf({ findings }: Diagnosis, id: string): Finding {
  const found = findings.find((finding) => finding.id === id)
  if (!found) throw new Error(`There is no ${id} among ${findings.map((finding) => finding.id).join(', ')}`)
  return found
}
