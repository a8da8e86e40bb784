import { decimal } from 'model-cache'

/** A sum that someone may bid or ask, and that DECIMAL(12,2) holds exactly. */
export const price = decimal.narrow(
  (value, ctx) =>
    (value.isPositive() && !value.isZero() && value.lessThan(1e10) && value.decimalPlaces() <= 2) ||
    ctx.reject({ expected: 'a sum above 0 with at most two decimals', actual: value.toFixed() }),
)
