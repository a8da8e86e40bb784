import { say } from './progress.ts'
import { median } from './statistics.ts'

/**
 * Rotates the order of things from round to round, and reverses every second round. In twice as many rounds as there
 * are things, each of them takes each place twice.
 */
export function inTurn<T>(things: readonly T[], round: number): readonly T[] {
  const first = Math.floor(round / 2) % things.length
  const order = [...things.slice(first), ...things.slice(0, first)]
  return round % 2 === 0 ? order : order.toReversed()
}

/** Takes one sample of each case per round, the cases in turn. */
export async function inRounds<Case extends { readonly name: string }, Sample>(
  cases: readonly Case[],
  rounds: number,
  take: (one: Case, round: number) => Promise<Sample>,
  { isQuiet = false } = {},
): Promise<ReadonlyMap<Case, readonly Sample[]>> {
  const samples = new Map(cases.map((one) => [one, [] as Sample[]]))
  for (let round = 0; round < rounds; round++) {
    for (const one of inTurn(cases, round)) {
      if (!isQuiet) say(`Round ${round + 1} of ${rounds}: ${one.name} …`)
      samples.get(one)!.push(await take(one, round))
    }
  }
  return samples
}

type Numeric<Sample> = { readonly [Key in keyof Sample as Sample[Key] extends number ? Key : never]: number }

/** The median of each numeric field over all samples, rounded to five digits. */
export function medians<Sample extends object>(samples: readonly Sample[]): Numeric<Sample> {
  const fields = Object.keys(samples[0]!) as (keyof Sample)[]
  const numeric = fields.filter((field) => typeof samples[0]![field] === 'number')
  return Object.fromEntries(
    numeric.map((field) => [field, rounded(median(samples.map((sample) => sample[field] as number)))]),
  ) as Numeric<Sample>
}

export const rounded = (value: number, digits = 5): number => Number(value.toPrecision(digits))
