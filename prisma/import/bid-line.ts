import { type } from 'arktype'
import { decimalAmount, text } from './fields.js'

const days = type(/^\d{1,3}(\.\d{1,9})?$/).describe('a number of days such as 2.927373')

/** A line of a bids file. */
export const BidLine = type({
  auction_id: type(/^\w{1,40}$/).describe('the id of an auction'),
  bid: decimalAmount,
  bid_time_days: days,
  bidder: type(/^[\w.-]{1,60}$/).describe('a pseudonym such as bidder-0001'),
  bidder_rating: type(/^-?\d{1,8}$/).describe('a whole number'),
  opening_bid: decimalAmount,
  final_price: decimalAmount,
  item: text,
  duration_days: days,
}).narrow(
  (line, ctx) =>
    Number(line.bid_time_days) <= Number(line.duration_days) ||
    ctx.reject({
      path: ['bid_time_days'],
      expected: `within duration_days (${line.duration_days})`,
      actual: line.bid_time_days,
    }),
)
export type BidLine = typeof BidLine.infer
