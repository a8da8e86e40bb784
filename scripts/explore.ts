/**
 * `npm run explore`: checks every interleaving of small models of the consistency protocol and the catalogue, and of their
 * mutants. `--write` updates docs/model-checking.md, `--deep` uses wider bounds. Exits with code 1 if an invariant fails or a
 * mutant survives.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exploreCatalogue } from '../test/explorer/catalogue/explorations.ts'
import { catalogueMarks, catalogueReportOf } from '../test/explorer/catalogue/report.ts'
import { exploreAll } from '../test/explorer/explorations.ts'
import { reportOf, tracesOf, withReport } from '../test/explorer/report.ts'
import { deepened, scenarios } from '../test/explorer/scenarios.ts'

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, deep: { type: 'boolean', default: false } },
})
if (values.write && values.deep)
  throw new Error('--write cannot be combined with --deep: npm test checks the page with the default bounds')

const PAGE = join(import.meta.dirname, '../docs/model-checking.md')

const all = Object.values(scenarios)
const explorations = exploreAll(values.deep ? all.map(deepened) : all)
const report = reportOf(explorations)
console.log(report)
console.log(tracesOf(explorations))
const catalogue = exploreCatalogue()
const catalogueReport = catalogueReportOf(catalogue)
console.log(catalogueReport)
console.log(tracesOf(catalogue))
if (values.write) {
  const page = withReport(readFileSync(PAGE, 'utf8'), report)
  writeFileSync(PAGE, withReport(page, catalogueReport, catalogueMarks))
}

const allPassed = [explorations, catalogue].every(
  ({ passed, mutants, limits }) =>
    passed.every(({ traces }) => traces.size === 0) && [...mutants, ...limits].every(({ trace }) => trace),
)
process.exitCode = allPassed ? 0 : 1
