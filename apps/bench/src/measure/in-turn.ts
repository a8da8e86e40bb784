/**
 * Things in another order in each round: from another one on in every second, and backwards in those between. In twice as many rounds
 * as there are things, each of them takes each place twice.
 */
export function inTurn<T>(things: readonly T[], round: number): readonly T[] {
  const first = Math.floor(round / 2) % things.length
  const order = [...things.slice(first), ...things.slice(0, first)]
  return round % 2 === 0 ? order : order.toReversed()
}
