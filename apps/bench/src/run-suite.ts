import { measureNoiseFloor } from './measure/noise-floor.ts'
import { say } from './progress.ts'
import { noiseText } from './report/header.ts'
import { aboutThis } from './result/about.ts'
import type { Result } from './result/result.ts'
import type { RunOptions } from './run-options.ts'
import type { Suite, SuiteEntry } from './suite.ts'

/** Measures the machine, then what the suite is about. */
export async function runSuite({ name }: SuiteEntry, suite: Suite, options: RunOptions): Promise<Result> {
  const start = performance.now()
  const about = aboutThis(suite.packages)
  const noise = measureNoiseFloor(options.quick)
  say(noiseText(noise))
  const measurements = await suite.run(options)
  say(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
  return {
    ...measurements,
    suite: name,
    ...about,
    options,
    noise,
    figures: suite.figures(measurements),
    failures: suite.problems?.(measurements) ?? [],
  }
}
