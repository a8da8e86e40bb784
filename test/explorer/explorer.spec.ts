import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exploreAll } from './explorations.ts'
import type { Explorations } from './explorations.ts'
import { limits } from './limits.ts'
import { mutants } from './mutants.ts'
import { reportOf, withReport } from './report.ts'
import { protocol } from './rules.ts'
import { scenarios } from './scenarios.ts'

const PAGE = join(import.meta.dirname, '../../docs/model-checking.md')

describe('the explorer', () => {
  let explorations: Explorations
  beforeAll(() => {
    explorations = exploreAll(Object.values(scenarios))
  }, 300_000)

  it.each(Object.values(scenarios))('finds nothing that breaks the protocol: $name', ({ name }) => {
    const { traces, states } = explorations.passed.find(({ scenario }) => scenario.name === name)!
    expect([...traces]).toEqual([])
    expect(states).toBeGreaterThan(1000)
  })

  it.each(mutants.flatMap(({ name, breaches }) => breaches.map((breach) => ({ name, breach }))))(
    'catches the mutant "$name": $breach',
    ({ name, breach }) => {
      const found = explorations.mutants.find((mutant) => mutant.name === name && mutant.breach === breach)
      expect(found?.trace).toBeDefined()
    },
  )

  it.each(limits)('knows what becomes of "$name"', ({ name, breaches }) => {
    const found = explorations.limits.filter((limit) => limit.name === name)
    expect(found.filter(({ trace }) => trace).map(({ breach }) => breach)).toEqual(breaches)
  })

  it('breaks each rule of the model at least once', () => {
    const broken = [...mutants, ...limits].flatMap(({ rules = {} }) => Object.keys(rules))
    expect(Object.keys(protocol).filter((rule) => !broken.includes(rule))).toEqual([])
  })

  it('is what docs/model-checking.md shows; `npm run explore -- --write` updates it', () => {
    const page = readFileSync(PAGE, 'utf8')
    expect(page).toBe(withReport(page, reportOf(explorations)))
  })
})
