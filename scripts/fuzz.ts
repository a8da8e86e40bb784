/**
 * `npm run fuzz -- --minutes 10`: tries the properties of the codec with random seeds, against the built library, in
 * two processes at once, of which one forbids code generation. Exit code 1 when a property failed.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** Part of a property's name; all of them when left out. */
    property: { type: 'string', default: '' },
    /** With these, which a failure prints, one property is tried once. */
    seed: { type: 'string' },
    path: { type: 'string' },
    'no-code-generation': { type: 'boolean', default: false },
  },
})

const ROUND_SECONDS = 30
const LANES = [
  { label: 'compiled', flags: [] },
  { label: 'without code generation', flags: ['--disallow-code-generation-from-strings'] },
]

type Lane = (typeof LANES)[number]

if (values.path === undefined) {
  const end = performance.now() + Number(values.minutes) * 60_000
  const failures = await Promise.all(LANES.map((lane) => fuzz(lane, end)))
  process.exitCode = failures.every((names) => names.length === 0) ? 0 : 1
} else {
  const lane = LANES[values['no-code-generation'] ? 1 : 0]!
  const { failed } = await round(lane, ROUND_SECONDS, values.seed ?? '0', ['--path', values.path])
  process.exitCode = failed.length === 0 ? 0 : 1
}

/** Rounds until the time is over. What has failed once is not tried again, so that it does not hide the rest. */
async function fuzz(lane: Lane, end: number): Promise<string[]> {
  const failed: string[] = []
  let seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 30))
  while (performance.now() < end) {
    const seconds = Math.min(ROUND_SECONDS, (end - performance.now()) / 1000)
    const skip = failed.flatMap((name) => ['--skip', name])
    const result = await round(lane, seconds, String(seed), skip)
    failed.push(...result.failed)
    if (result.crashed) break
    // Further than a round gets by counting.
    seed += 1_000_000
  }
  return failed
}

async function round(
  { label, flags }: Lane,
  seconds: number,
  seed: string,
  more: readonly string[],
): Promise<{ failed: readonly string[]; crashed: boolean }> {
  const script = join(import.meta.dirname, 'fuzz-round.ts')
  const options = [
    '--label',
    label,
    '--seconds',
    String(seconds),
    '--seed',
    seed,
    '--property',
    values.property,
  ]
  const child = fork(script, [...options, ...more], { execArgv: flags })
  let failed: readonly string[] | undefined
  child.on('message', (names) => (failed = names as string[]))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (failed) return { failed, crashed: false }
  console.log(`\nFAILED: ${label}, seed ${seed}: the process ended with ${signal ?? code}`)
  return { failed: ['(crash)'], crashed: true }
}
