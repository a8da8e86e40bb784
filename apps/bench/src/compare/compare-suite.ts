import { say } from '../progress.ts'
import type { Figure } from '../figure.ts'
import { changeOf, isWorse, type Change } from './change.ts'
import { figuresOf, type Run } from './figures-of.ts'
import type { Place } from './run-command.ts'

export interface Side extends Place {
  /** How messages call the revision. */
  readonly name: string
}

export interface Compared extends Change {
  readonly name: string
  readonly unit: string
  readonly isWorse: boolean
}

export interface Comparison {
  readonly figures: readonly Compared[]
  /** Figures that only one of the revisions has. */
  readonly unmatched: readonly string[]
}

type Figures = Readonly<Record<string, Figure>>

/**
 * Runs a suite of both revisions in turns, A B B A and so on, so that a machine that slows down slows both alike.
 *
 * @param threshold a part: 0.1 for 10 %
 */
export async function compareSuite(
  base: Side,
  head: Side,
  run: Run,
  { rounds, threshold }: { rounds: number; threshold: number },
): Promise<Comparison> {
  const taken: { base: Figures; head: Figures }[] = []
  for (let round = 0; round < rounds; round++) {
    say(`${run.suite}: round ${round + 1} of ${rounds} …`)
    const of = (side: Side): Promise<Figures> => figuresOf(side, side.name, run)
    if (round % 2 === 0) {
      const first = await of(base)
      taken.push({ base: first, head: await of(head) })
    } else {
      const first = await of(head)
      taken.push({ base: await of(base), head: first })
    }
  }
  return compareFigures(taken, threshold)
}

/** Those figures that both revisions have in every round. */
export function compareFigures(
  rounds: readonly { readonly base: Figures; readonly head: Figures }[],
  threshold: number,
): Comparison {
  const all = rounds.flatMap(({ base, head }) => [base, head])
  const names = [...new Set(all.flatMap((figures) => Object.keys(figures)))]
  const [matched, unmatched] = [true, false].map((whether) =>
    names.filter((name) => all.every((figures) => name in figures) === whether),
  ) as [string[], string[]]
  const figures = matched.map((name) => {
    const { unit, better } = rounds[0]!.head[name]!
    const change = changeOf(rounds.map(({ base, head }) => [base[name]!.value, head[name]!.value]))
    return { name, unit, ...change, isWorse: isWorse(change, better, threshold) }
  })
  return { figures, unmatched }
}
