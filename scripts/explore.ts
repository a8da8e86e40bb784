/**
 * `npm run explore`: walks every interleaving of a small model of the consistency protocol, and of its mutants, and
 * prints what was found. `--write` puts it into docs/consistency.md, `--deep` takes wider bounds. Exit code 1 when the
 * protocol breaks a promise or a mutant is not caught.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exploreAll } from '../test/explorer/explorations.ts'
import { reportOf, withReport } from '../test/explorer/report.ts'
import { deepened, scenarios } from '../test/explorer/scenarios.ts'

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, deep: { type: 'boolean', default: false } },
})
if (values.write && values.deep) throw new Error('--write is for what `npm test` checks; leave out --deep')

const PAGE = join(import.meta.dirname, '../docs/consistency.md')

const all = Object.values(scenarios)
const explorations = exploreAll(values.deep ? all.map(deepened) : all)
const report = reportOf(explorations)
console.log(report)
if (values.write) writeFileSync(PAGE, withReport(readFileSync(PAGE, 'utf8'), report))

const { passed, mutants, limits } = explorations
const isFine =
  passed.every(({ traces }) => traces.size === 0) && [...mutants, ...limits].every(({ trace }) => trace)
process.exitCode = isFine ? 0 : 1
