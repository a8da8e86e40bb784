import { type } from 'arktype'

// Types of the values in auction files. They reject what the database would reject or change silently.

/** Fits DECIMAL(12,2) exactly. */
export const amount = type('number').narrow(
  (value, ctx) =>
    (value >= 0 && value < 1e10 && Number(value.toFixed(2)) === value) ||
    ctx.mustBe('an amount from 0 with at most two decimals'),
)

/** An amount as a string, for CSV files. */
export const decimalAmount = type(/^\d{1,10}(\.\d{1,2})?$/).describe('an amount such as 117.5')

/** Without NUL, which PostgreSQL rejects, and without lone surrogates, which UTF-8 cannot encode. */
export const text = type('string').narrow(
  (value, ctx) =>
    (value.length > 0 && !value.includes('\0') && !/\p{Surrogate}/u.test(value)) ||
    ctx.mustBe('non-empty text without NUL or lone surrogates'),
)

export const time = type('string.date.iso').narrow(
  (value, ctx) => !Number.isNaN(Date.parse(value)) || ctx.mustBe('an existing date'),
)

export const int32 = type('-2147483648 <= number.integer <= 2147483647')
