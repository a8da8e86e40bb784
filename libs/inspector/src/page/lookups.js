import { formatCount } from './kit/format.js'

/** Says which rows a lookup finds: "rows with the same auctionItemId, in the order amount desc, id asc, at most 10". */
export function describeLookup({ kind, keyFields, definition: { limit, maxRows, orderBy, through, where } }) {
  const key = keyFields.map(({ name }) => name).join(' and ')
  const condition = where === null ? '' : `, which fulfil ${where}`
  if (kind === 'unique') return `The one row of a ${key}.`
  const of = through === null ? `with the same ${key}` : `that ${through} connects with the same ${key}`
  const bound =
    limit === null
      ? `; a list of more than ${formatCount(maxRows)} rows is never stored`
      : `, at most ${formatCount(limit)}`
  const order = orderBy.length > 0 ? orderBy.join(', ') : 'in which the database returned them'
  return `Rows ${of}${condition}, in the order ${order}${bound}.`
}
