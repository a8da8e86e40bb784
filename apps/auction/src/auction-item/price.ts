import { decimal } from 'model-cache/arktype'

/** A positive amount that DECIMAL(12,2) stores exactly. */
export const price = decimal.narrow(
  (value, ctx) =>
    (value.isPositive() && !value.isZero() && value.lessThan(1e10) && value.decimalPlaces() <= 2) ||
    ctx.reject({ expected: 'an amount above 0 with at most two decimals', actual: value.toFixed() }),
)
