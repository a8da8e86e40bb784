/** Things from another one on in each round, and every second time backwards: each follows each other one at times. */
export function inTurn<T>(things: readonly T[], round: number): readonly T[] {
  const first = round % things.length
  const order = [...things.slice(first), ...things.slice(0, first)]
  return round % 2 === 0 ? order : order.toReversed()
}
