import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBenched } from '../../apps/bench/src/build-benched.js'
import { readResult } from '../../apps/bench/src/result/stored-results.js'
import { suites } from '../../apps/bench/src/suites.js'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { visitReport } from './report-visit.js'

const ROOT = join(import.meta.dirname, '../..')

/** What makes the quick look of a suite shorter still; a suite that is not listed runs as it is. */
const SHORTER: Readonly<Record<string, readonly string[]>> = {
  // All of them are counted by a spec of their own.
  allocations: ['--only', 'alone'],
  codec: ['--only', 'GuestUser'],
  formats: ['--only', 'JSON', '--only', 'model-cache record'],
  storm: ['--only', 'model-cache', '--only', 'v1'],
  soak: ['--minutes', '0.15'],
  chaos: ['--minutes', '0.1'],
  ladder: ['--only', 'naive', '--only', 'model-cache'],
  specialise: ['--only', 'hooks'],
  matrix: ['--only', 'small'],
  roundtrip: ['--only', 'operations'],
  walkers: ['--only', 'GuestUser'],
  scale: ['--only', 'concurrency'],
}

/** More than any quick look takes, also while other tests run beside it. */
const PATIENCE = 120_000

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function bench(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const command = ['apps/bench/src/main.ts', ...args, '--skip-build']
    execFile(process.execPath, command, { cwd: ROOT, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

describe('the bench', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'model-cache-bench-'))
    // `npm test` has generated the Prisma client, which other specs read meanwhile.
    buildBenched({ generate: false })
  }, PATIENCE)
  afterAll(() => rm(folder, { recursive: true }))

  it.each(suites.map(({ name }) => name))(
    'takes a quick look at %s, whose result is one document with figures',
    async (name) => {
      const path = join(folder, `${name}.json`)
      const { code, stdout, stderr } = await bench(
        name,
        '--quick',
        '--json',
        '--out',
        path,
        ...(SHORTER[name] ?? []),
      )
      expect(code === 0 ? '' : stderr).toBe('')
      const result = JSON.parse(stdout)
      expect(result).toMatchObject({ suite: name, node: process.version, options: { quick: true } })
      const figures = Object.entries<{ value: number }>(result.figures)
      expect(figures.length).toBeGreaterThan(0)
      expect(figures.filter(([, { value }]) => !Number.isFinite(value))).toEqual([])
      expect(readResult(name, path)).toEqual(result)
    },
    PATIENCE,
  )

  it(
    'reports on all of them, every chart filled',
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
        // A bar may be too short to be seen beside another, but a chart shows something.
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
    'has written its stored results into README and docs',
    async () => {
      const { stdout } = await bench('readme', '--check')
      expect(stdout).toBe(
        'README.md: up to date\ndocs/benchmarks.md: up to date\ndocs/capacity.md: up to date\n',
      )
    },
    PATIENCE,
  )

  it(
    'knows what it does not know',
    async () => {
      const unknown = await bench('strom')
      expect(unknown.code).toBe(1)
      expect(unknown.stderr).toContain('There is no suite or command "strom".')
      for (const { name } of suites) expect(unknown.stderr).toContain(name)
      const revision = await bench('compare', 'no-such-revision')
      expect(revision.stderr).toContain('"no-such-revision" is no revision that git knows here')
    },
    PATIENCE,
  )
})
