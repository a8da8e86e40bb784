import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withReport } from '../report.ts'
import { exploreCatalogue } from './explorations.ts'
import type { CatalogueExplorations } from './explorations.ts'
import { limits } from './limits.ts'
import { mutants } from './mutants.ts'
import { catalogueMarks, catalogueReportOf } from './report.ts'
import { protocol } from './rules.ts'
import { scenarios } from './scenarios.ts'

const page = join(import.meta.dirname, '../../../docs/model-checking.md')

describe('the explorer of the catalogue', () => {
  let explorations: CatalogueExplorations
  beforeAll(() => {
    explorations = exploreCatalogue()
  }, 300_000)

  it.each(Object.values(scenarios))('finds nothing that breaks the protocol: $name', ({ name }) => {
    const { traces, states } = explorations.passed.find(({ scenario }) => scenario.name === name)!
    expect([...traces]).toEqual([])
    expect(states).toBeGreaterThan(1_000)
  })

  it.each(mutants.flatMap(({ name, breaches }) => breaches.map((breach) => ({ name, breach }))))(
    'catches the mutant "$name": $breach',
    ({ name, breach }) => {
      const found = explorations.mutants.find((mutant) => mutant.name === name && mutant.breach === breach)
      expect(found?.trace).toBeDefined()
    },
  )

  it.each(limits)('finds what "$name" leads to', ({ name, breaches }) => {
    const found = explorations.limits.filter((limit) => limit.name === name)
    expect(found.filter(({ trace }) => trace).map(({ breach }) => breach)).toEqual(breaches)
  })

  it('breaks each rule of the model at least once', () => {
    const broken = mutants.flatMap(({ rules = {} }) => Object.keys(rules))
    expect(Object.keys(protocol).filter((rule) => !broken.includes(rule))).toEqual([])
  })

  it('is what docs/model-checking.md shows; `npm run explore -- --write` updates the page', () => {
    const text = readFileSync(page, 'utf8')
    expect(text).toBe(withReport(text, catalogueReportOf(explorations), catalogueMarks))
  })
})
