import type { Caught, Explorations, Passed } from './explorations.ts'

/** How the explorations of one model stand on the page. */
export interface Report<Scenario> {
  /** The lines of the page between which they stand. */
  readonly marks: { readonly begin: string; readonly end: string }
  readonly headings: readonly [holds: string, caught: string, assumed: string]
  /** What is said of each scenario between its name and its figures. */
  readonly columns: readonly (readonly [head: string, cell: (scenario: Scenario) => string])[]
}

/** The page with its report replaced. */
export function withReport<Scenario extends Named>(
  page: string,
  report: Report<Scenario>,
  explorations: Explorations<Scenario>,
): string {
  const { begin, end } = report.marks
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`the page has no "${begin}" followed by "${end}"`)
  return `${before}${begin}\n\n${reportOf(report, explorations)}\n\n${end}${after}`
}

interface Named {
  readonly name: string
}

/** The explorations as Markdown, formatted as prettier would. */
export function reportOf<Scenario extends Named>(
  { columns, headings }: Report<Scenario>,
  { passed, mutants, limits }: Explorations<Scenario>,
): string {
  return [
    `### ${headings[0]}`,
    scenarioTable(passed, columns),
    `### ${headings[1]}`,
    caughtTable('mutant', mutants),
    `### ${headings[2]}`,
    caughtTable('when', limits),
  ].join('\n\n')
}

function scenarioTable<Scenario extends Named>(
  passed: readonly Passed<Scenario>[],
  columns: Report<Scenario>['columns'],
): string {
  const rows = passed.map(({ scenario, states, transitions, depth, traces }) => [
    scenario.name,
    ...columns.map(([, cell]) => cell(scenario)),
    count(states),
    count(transitions),
    String(depth),
    traces.size === 0 ? 'holds' : [...traces.keys()].join(', '),
  ])
  return table(['scenario', ...columns.map(([head]) => head), 'states', 'transitions', 'depth', ''], rows)
}

function caughtTable(first: string, caught: readonly Caught[]): string {
  const rows = caught.map(({ name, breach, trace, within }) => [
    name,
    breach,
    trace ? String(trace.length) : 'NOT FOUND',
    within,
  ])
  return table([first, 'what goes wrong', 'steps', 'in the scenario'], rows)
}

/** The shortest steps to each violation, for the terminal. */
export function tracesOf({ mutants, limits }: Pick<Explorations<unknown>, 'mutants' | 'limits'>): string {
  return [...mutants, ...limits].map(traceOf).join('\n\n')
}

function traceOf({ name, breach, trace = ['none was found'] }: Caught): string {
  const steps = trace.map((sentence, i) => `${String(i + 1).padStart(2)}  ${sentence}`)
  return [`**${name}**: ${breach}`, ['```text', ...steps, '```'].join('\n')].join('\n\n')
}

/** The faults of a scenario in words. */
export const faultsOf = ({ faults }: { readonly faults: Partial<Record<string, number>> }): string =>
  Object.entries(faults)
    .map(([fault, times]) => (times === 1 ? fault : `${times} × ${fault}`))
    .join(', ') || 'none'

const count = (number: number): string => number.toLocaleString('en-US')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((cells) => cells[column]!.length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
