import { slopeOf } from '../measure/slope.ts'

/** How y grows with x, as a power of it: 0 for not at all, 1 in proportion. */
export interface Growth {
  readonly exponent: number
  /** Its standard error. */
  readonly error: number
  /** The exponent between the last two points: what goes on beyond them, when the first are another regime. */
  readonly atEnd: number
}

/** The power law with the least squares of logarithms through points. @throws when there are fewer than three, or one is not above 0 */
export function growthOf(points: readonly (readonly [x: number, y: number])[]): Growth {
  const wrong = points.find(([x, y]) => !(x > 0 && y > 0))
  if (wrong) throw new RangeError(`A power law goes through points above 0, not (${wrong.join(', ')}).`)
  const logarithms = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const { perUnit, error } = slopeOf(logarithms)
  const [[x1, y1], [x2, y2]] = logarithms.slice(-2) as [[number, number], [number, number]]
  return { exponent: perUnit, error, atEnd: (y2 - y1) / (x2 - x1) }
}
