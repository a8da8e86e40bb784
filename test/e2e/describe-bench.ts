import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readResult } from '../../apps/bench/src/harness/result.js'
import { suites } from '../../apps/bench/src/suites.js'
import { builtLibrary } from '../support/build-library.js'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { visitReport } from './report-visit.js'

const ROOT = join(import.meta.dirname, '../..')

const only = (name: string): string[] => ['--only', name]

/** Options that shorten the quick run of a suite further. */
const SHORTER: Readonly<Record<string, readonly string[]>> = {
  codec: only('GuestUser'),
  scale: only('concurrency'),
}

/** More than any quick run takes, even beside other tests. */
export const PATIENCE = 300_000

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the bench with a library that is built already. @param folder for what it compiles */
export function runBench(folder: string, library: string, args: readonly string[]): Promise<Ended> {
  const command = ['apps/bench/src/main.ts', ...args]
  const env = {
    ...process.env,
    MODEL_CACHE_BUILT: library,
    // Suites start dozens of processes that import the same modules.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    NODE_OPTIONS: `--import=${join(ROOT, 'apps/bench/src/harness/import-built.ts')}`,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: ROOT, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

/** The tests of the bench with quick runs of these suites. */
export function describeBench(names: readonly string[]): void {
  let folder: string
  let library: string
  const looks = new Map<string, Promise<Ended>>()
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'model-cache-bench-'))
    library = await builtLibrary()
  }, PATIENCE)
  afterAll(async () => {
    await Promise.all(looks.values())
    await rm(folder, { recursive: true })
  })

  const bench = (...args: readonly string[]): Promise<Ended> => runBench(folder, library, args)

  /** Runs a suite quickly, once. */
  function look(name: string): Promise<Ended> {
    const args = [
      name,
      '--quick',
      '--json',
      '--skip-build',
      '--out',
      resultOf(name),
      ...(SHORTER[name] ?? []),
    ]
    const ended = looks.get(name) ?? bench(...args)
    looks.set(name, ended)
    return ended
  }

  const resultOf = (name: string): string => join(folder, `${name}.json`)

  it.each(names.map((name, i) => [name, names[i + 1]] as const))(
    'runs %s quickly; its result is one document with figures',
    async (name, next) => {
      const looking = look(name)
      // At the same time: runs wait for servers and timers.
      if (next) void look(next)
      const { code, stdout, stderr } = await looking
      expect(code === 0 ? '' : stderr).toBe('')
      const result = JSON.parse(stdout)
      expect(result).toMatchObject({ suite: name, node: process.version, options: { quick: true } })
      const figures = Object.entries<{ value: number }>(result.figures)
      expect(figures.length).toBeGreaterThan(0)
      expect(figures.filter(([, { value }]) => !Number.isFinite(value))).toEqual([])
      expect(readResult(name, resultOf(name))).toEqual(result)
    },
    PATIENCE,
  )

  it(
    'reports on all of them, with every chart filled',
    async () => {
      const path = join(folder, 'report.html')
      const { code, stderr } = await bench('report', '--from', folder, '--out', path)
      expect(code === 0 ? '' : stderr).toBe('')
      const browser = await launchChromium()
      try {
        const seen = await visitReport(browser, path, { width: 390, colorScheme: 'light' })
        expect(seen.troubles).toEqual([])
        expect(seen.overflow).toBeLessThanOrEqual(0)
        expect(seen.charts.length).toBeGreaterThan(0)
        // A bar may be too short to be visible, but no chart is empty.
        const empty = seen.charts.filter(
          ({ marks, pixels }) => marks === 0 || !pixels.some((count) => count > 0),
        )
        expect(empty).toEqual([])
      } finally {
        await browser.close()
      }
    },
    LAUNCH_TIMEOUT,
  )

  it(
    'has up-to-date figures in README and docs',
    async () => {
      const { stdout } = await bench('readme', '--check')
      expect(stdout).toBe(
        'README.md: up to date\ndocs/benchmarks.md: up to date\ndocs/capacity.md: up to date\n',
      )
    },
    PATIENCE,
  )

  it(
    'rejects unknown suites and revisions',
    async () => {
      const unknown = await bench('strom')
      expect(unknown.code).toBe(1)
      expect(unknown.stderr).toContain('There is no suite or command "strom".')
      for (const { name } of suites) expect(unknown.stderr).toContain(name)
      const revision = await bench('compare', 'no-such-revision', '--skip-build')
      expect(revision.stderr).toContain('git has no revision "no-such-revision" here')
    },
    PATIENCE,
  )
}
