import { configure } from 'arktype/config'
import fc from 'fast-check'

// Compiling validators, which are hardly used here, would take most of the time.
configure({ jitless: true })
const { allProperties } = await import('./properties/all.ts')

// A failure shows its seed and path, with which `npm run fuzz` repeats it.
describe.each(Object.entries(allProperties))('%s', (_, properties) => {
  it.each(properties.map((entry) => [entry.name, entry] as const))('%s', (_name, { property, runs }) => {
    fc.assert(property, { numRuns: runs })
  })
})
