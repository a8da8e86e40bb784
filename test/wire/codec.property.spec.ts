import { configure } from 'arktype/config'
import fc from 'fast-check'

// Compiling validators, which are hardly used here, would take most of the time.
configure({ jitless: true })
const { allProperties } = await import('./properties/all.ts')

// The same values in every run, so that a change is what makes it fail; `npm run fuzz` tries others.
const seed = 20_261_121
/** Of the runs of a round of `npm run fuzz`. */
const part = 0.2

describe.each(Object.entries(allProperties))('%s', (_, properties) => {
  it.each(properties.map((entry) => [entry.name, entry] as const))('%s', (_name, { property, runs }) => {
    fc.assert(property, { numRuns: Math.ceil(part * runs), seed })
  })
})
