import { type } from 'arktype'

// The kinds of value that auction files hold, each refusing what the database would refuse or silently change.

/** Fits DECIMAL(12,2) exactly. */
export const amount = type('number').narrow(
  (value, ctx) =>
    (value >= 0 && value < 1e10 && Number(value.toFixed(2)) === value) ||
    ctx.mustBe('an amount from 0 with at most two decimals'),
)

/** The same, as CSV files write it. */
export const amountText = type(/^\d{1,10}(\.\d{1,2})?$/).describe('an amount such as 117.5')

/** PostgreSQL's text has no NUL, and UTF-8 has no half surrogate pairs. */
export const text = type('string').narrow(
  (value, ctx) =>
    (value.length > 0 && !value.includes('\0') && !/\p{Surrogate}/u.test(value)) ||
    ctx.mustBe('text that is not empty'),
)

export const time = type('string.date.iso').narrow(
  (value, ctx) => !Number.isNaN(Date.parse(value)) || ctx.mustBe('a moment that exists'),
)

export const int32 = type('-2147483648 <= number.integer <= 2147483647')
