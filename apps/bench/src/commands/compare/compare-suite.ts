import { say } from '../../harness/progress.ts'
import type { Result } from '../../harness/result.ts'
import { table, type Section } from '../../harness/section.ts'
import type { Figures } from '../../harness/figure.ts'
import { changeOf, isWorse } from './change.ts'
import { runCommand, type Place } from './run-command.ts'

export interface Side extends Place {
  /** Name of the revision in messages. */
  readonly name: string
}

export interface CompareOptions {
  readonly rounds: number
  /** A part: 0.1 for 10 %. */
  readonly threshold: number
  readonly only: readonly string[]
}

/** Runs a suite of both revisions in turn, A B B A, so that a slower machine slows both alike. */
export async function compareSuite(
  base: Side,
  head: Side,
  suite: string,
  { rounds, threshold, only }: CompareOptions,
): Promise<Comparison> {
  const figures: { base: Figures; head: Figures }[] = []
  for (let round = 0; round < rounds; round++) {
    say(`${suite}: round ${round + 1} of ${rounds} …`)
    const taken = new Map<Side, Figures>()
    for (const side of round % 2 === 0 ? [base, head] : [head, base])
      taken.set(side, await figuresOf(side, suite, only))
    figures.push({ base: taken.get(base)!, head: taken.get(head)! })
  }
  return compareFigures(figures, threshold)
}

/** Compares the figures that both revisions have in every round. */
export function compareFigures(
  rounds: readonly { readonly base: Figures; readonly head: Figures }[],
  threshold: number,
) {
  const all = rounds.flatMap(({ base, head }) => [base, head])
  const names = [...new Set(all.flatMap((figures) => Object.keys(figures)))]
  const isMatched = (name: string): boolean => all.every((figures) => name in figures)
  const figures = names.filter(isMatched).map((name) => {
    const { unit, better } = rounds[0]!.head[name]!
    const change = changeOf(rounds.map(({ base, head }) => [base[name]!.value, head[name]!.value]))
    return { name, unit, ...change, isWorse: isWorse(change, better, threshold) }
  })
  /** Figures that only one of the revisions has. */
  const unmatched = names.filter((name) => !isMatched(name))
  return { figures, unmatched }
}
export type Comparison = ReturnType<typeof compareFigures>

export function presentComparison(suite: string, { figures, unmatched }: Comparison): Section {
  const signed = (part: number): string => `${part < 0 ? '−' : '+'}${Math.abs(part * 100).toFixed(1)}`
  return table(
    suite,
    figures,
    {
      '': ({ name, unit }) => `${name}, ${unit}`,
      base: 'base',
      head: 'head',
      change: ({ change }) => `${signed(change)} %`,
      '95 % interval': ({ low, high }) => `${signed(low)} to ${signed(high)} %`,
      verdict: (figure) => (figure.isWorse ? 'worse' : ''),
    },
    { text: unmatched.length > 0 ? [`Only in one of them: ${unmatched.join(', ')}.`] : [] },
  )
}

/** Runs a suite quickly in a checkout that is built. @throws when the revision has no such suite, or the run fails */
async function figuresOf(side: Side, suite: string, only: readonly string[]): Promise<Figures> {
  const args = ['--quick', '--skip-build', '--json', ...only.flatMap((name) => ['--only', name])]
  const command = ['node', 'apps/bench/src/main.ts', suite, ...args] as const
  // The code of a result with failures is 1.
  const { stdout, failure } = await runCommand(side, ...command)
  if (failure && stdout === '') throw failure
  const { figures } = JSON.parse(stdout) as Partial<Result>
  if (figures) return figures
  throw new Error(`${side.name} has no figures to compare; name a later revision.`)
}
