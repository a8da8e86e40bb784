import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Explorations, Explorer } from './explorations.ts'
import { caughtReportOf, withReport, type Report } from './report.ts'

export const page = join(import.meta.dirname, '../../docs/model-checking.md')

/** States of a scenario that `npm test` visits at least, if there are as many; `npm run test:deep` visits all. */
const MOST = 2_500

/** The tests of one model: its protocol holds near the start, each mutant is caught, and the page shows that. */
export function describeExplorer<Scenario extends { readonly name: string }>(
  title: string,
  explorer: Explorer<Scenario>,
  report: Report<Scenario>,
): void {
  describe(title, () => {
    let explorations: Explorations<Scenario>
    beforeAll(() => {
      explorations = explorer.explore({ most: MOST, leavesOutLong: true })
    }, 300_000)

    testScenarios(explorer, () => explorations)

    it.each(
      explorer.mutants
        .filter(isShort)
        .flatMap(({ name, breaches }) => breaches.map((breach) => ({ name, breach }))),
    )('catches the mutant "$name": $breach', ({ name, breach }) => {
      const found = explorations.mutants.find((mutant) => mutant.name === name && mutant.breach === breach)
      expect(found?.trace).toBeDefined()
    })

    it.each(explorer.limits.filter(isShort))('finds what "$name" leads to', ({ name, breaches }) => {
      const found = explorations.limits.filter((limit) => limit.name === name)
      expect(found.filter(({ trace }) => trace).map(({ breach }) => breach)).toEqual(breaches)
    })

    it('breaks each rule of the model at least once', () => {
      expect(explorer.unbroken).toEqual([])
    })

    it('is what docs/model-checking.md shows; `npm run explore -- --write` updates the page', () => {
      const text = unpadded(readFileSync(page, 'utf8'))
      for (const line of unpadded(caughtReportOf(report, explorations)).split('\n'))
        expect(text).toContain(line)
      for (const { name } of explorer.scenarios) expect(text).toContain(`| ${name} `)
    })
  })
}

/** Tables have the widths of all their rows. */
function unpadded(text: string): string {
  return text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---')
}

const isShort = ({ takesLong = false }: { readonly takesLong?: boolean }): boolean => !takesLong

/** The tests of one model that visit each state. */
export function describeWholeSpaces<Scenario extends { readonly name: string }>(
  title: string,
  explorer: Explorer<Scenario>,
  report: Report<Scenario>,
): void {
  describe(title, () => {
    let explorations: Explorations<Scenario>
    beforeAll(() => {
      explorations = explorer.explore()
    })

    testScenarios(explorer, () => explorations)

    it('is what docs/model-checking.md shows; `npm run explore -- --write` updates the page', () => {
      const text = readFileSync(page, 'utf8')
      expect(text).toBe(withReport(text, report, explorations))
    })
  })
}

function testScenarios<Scenario extends { readonly name: string }>(
  { scenarios }: Explorer<Scenario>,
  explorations: () => Explorations<Scenario>,
): void {
  it.each(scenarios)('finds nothing that breaks the protocol: $name', ({ name }) => {
    const { traces, states } = explorations().passed.find(({ scenario }) => scenario.name === name)!
    expect([...traces]).toEqual([])
    expect(states).toBeGreaterThan(1_000)
  })
}
