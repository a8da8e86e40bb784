/** `npm run bench`: measures what this project claims, by suite. */
import { buildBenched } from './build-benched.ts'
import { aboutThis } from './about.ts'
import { parseOptions, usage } from './options.ts'
import { say } from './progress.ts'
import { printSections } from './report/print-sections.ts'
import { suites } from './suites.ts'

try {
  const { suite: name, build, json, ...options } = parseOptions(process.argv.slice(2))
  const entry = suites.find((suite) => suite.name === name)
  if (name === undefined) {
    console.log(usage(suites))
  } else if (name === 'capacity') {
    await (await import('./commands/capacity.ts')).capacity()
  } else if (entry) {
    if (build) buildBenched()
    const start = performance.now()
    const suite = await entry.load()
    const about = aboutThis(suite.packages)
    const measurements = await suite.run(options)
    say(`${entry.name}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
    console.log(
      json
        ? JSON.stringify({ suite: entry.name, ...about, ...measurements })
        : (suite.show?.(measurements, about) ?? printSections(suite.present?.(measurements) ?? [])),
    )
    if (suite.problems?.(measurements).length) process.exitCode = 1
  } else {
    throw new Error(`There is no suite "${name}".\n\n${usage(suites)}`)
  }
} catch (error) {
  console.error(process.env.DEBUG ? error : (error as Error).message)
  process.exitCode = 1
}
