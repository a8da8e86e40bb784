/**
 * One round of `npm run fuzz`, in a separate process: ArkType never frees schemas, and a crash is a finding too.
 */
import { parseArgs } from 'node:util'
import { configure } from 'arktype/config'
import fc from 'fast-check'
import type { CodecProperty } from '../test/wire/properties/property.ts'

// Compiling validators would take most of the time and memory, and they are hardly used here.
configure({ jitless: true })
const { allProperties } = await import('../test/wire/properties/all.ts')

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '0' },
    property: { type: 'string', default: '' },
    skip: { type: 'string', multiple: true, default: [] },
    path: { type: 'string' },
  },
})

/** Characters per report. */
const MAX_REPORT = 6000

const deadline = performance.now() + Number(values.seconds) * 1000
const properties = Object.values(allProperties)
  .flat()
  .filter(({ name }) => name.includes(values.property) && !values.skip.includes(name))
if (properties.length === 0)
  throw new Error(`no property has "${values.property}" in its name, or all of them were skipped`)

let runs = 0
const failed = new Set<CodecProperty>()
for (let check = 0; performance.now() < deadline && failed.size < properties.length; check++) {
  const entry = properties[check % properties.length]!
  // A failed property would keep failing and hide the others.
  if (failed.has(entry)) continue
  const seed = Number(values.seed) + check
  const details = fc.check(entry.property, {
    seed,
    // Few runs per check, so that the properties take turns.
    numRuns: Math.ceil(entry.runs / 2),
    ...(values.path === undefined ? {} : { path: values.path, endOnFailure: true }),
  }) as fc.RunDetails<unknown>
  runs += details.numRuns
  if (details.failed) {
    failed.add(entry)
    report(entry, details)
  }
  if (values.path !== undefined) break
}
console.log(`seed ${values.seed}: ${runs.toLocaleString('en')} runs, ${failed.size} failed`)
process.send?.([...failed].map(({ name }) => name))
process.exitCode = failed.size > 0 ? 1 : 0

function report({ name }: CodecProperty, details: fc.RunDetails<unknown>): void {
  const message = fc.defaultReportMessage(details) ?? 'no message'
  console.log(`\nFAILED: ${name}\n${message.slice(0, MAX_REPORT)}`)
  console.log((details.errorInstance as Error | null)?.stack?.slice(0, MAX_REPORT))
  const path = details.counterexamplePath ?? ''
  console.log(`\nTo repeat it: npm run fuzz -- --property "${name}" --seed ${details.seed} --path ${path}\n`)
}
