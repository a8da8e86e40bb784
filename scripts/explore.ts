/**
 * `npm run explore`: checks every interleaving of small models of the consistency protocol, the catalogue, restarts, lookups,
 * results, nested loads and followers, and of their mutants. `--write` updates docs/model-checking.md, `--deep` uses wider
 * bounds. Exits with code 1 if an invariant fails or a mutant survives.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as catalogue from '../test/explorer/catalogue/explorer.ts'
import type { Explorer } from '../test/explorer/explorations.ts'
import * as rows from '../test/explorer/explorer.ts'
import * as follower from '../test/explorer/follower/explorer.ts'
import * as followerBounds from '../test/explorer/follower/scenarios.ts'
import * as loads from '../test/explorer/loads/explorer.ts'
import * as lookups from '../test/explorer/lookups/explorer.ts'
import * as lookupBounds from '../test/explorer/lookups/scenarios.ts'
import { reportOf, tracesOf, withReport } from '../test/explorer/report.ts'
import type { Report } from '../test/explorer/report.ts'
import * as restarts from '../test/explorer/restarts/explorer.ts'
import * as restartBounds from '../test/explorer/restarts/scenarios.ts'
import * as results from '../test/explorer/results/explorer.ts'
import * as resultBounds from '../test/explorer/results/scenarios.ts'
import * as rowBounds from '../test/explorer/scenarios.ts'

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, deep: { type: 'boolean', default: false } },
})
if (values.write && values.deep)
  throw new Error('--write cannot be combined with --deep: npm test checks the page with the default bounds')

const page = join(import.meta.dirname, '../docs/model-checking.md')
let text = readFileSync(page, 'utf8')

/** @returns whether the protocol holds, and every mutant is caught */
function explore<Scenario extends { readonly name: string }>(
  explorer: Explorer<Scenario>,
  report: Report<Scenario>,
  deepened: (scenario: Scenario) => Scenario = (scenario) => scenario,
): boolean {
  const { scenarios } = explorer
  const explorations = explorer.explore({ scenarios: values.deep ? scenarios.map(deepened) : scenarios })
  console.log(reportOf(report, explorations))
  console.log(tracesOf(explorations))
  if (values.write) text = withReport(text, report, explorations)
  const { passed, mutants, limits } = explorations
  return (
    passed.every(({ traces }) => traces.size === 0) && [...mutants, ...limits].every(({ trace }) => trace)
  )
}

const allPassed = [
  explore(rows.explorer, rows.report, rowBounds.deepened),
  explore(catalogue.explorer, catalogue.report),
  explore(restarts.explorer, restarts.report, restartBounds.deepened),
  explore(lookups.explorer, lookups.report, lookupBounds.deepened),
  explore(results.explorer, results.report, resultBounds.deepened),
  explore(loads.explorer, loads.report),
  explore(follower.explorer, follower.report, followerBounds.deepened),
].every(Boolean)
if (values.write) writeFileSync(page, text)
process.exitCode = allPassed ? 0 : 1
