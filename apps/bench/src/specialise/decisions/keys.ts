import type { AuctionBid } from '#prisma/client/client.js'
import { bidCodec, bids } from '../bids.ts'
import type { Decision } from '../decision.ts'
import { compileOneKey, compileTwoFieldKey, keyAtEachCall, type KeyModel } from './key-builders.ts'
import { plainReads } from './plain-reads.ts'

/** One id or composite: the builder is chosen with the model, or the model is looked at for each key. */
export const oneId: Decision = keyDecision('one id', ['id'], compileOneKey, ({ id }) => id)

export const compositeId: Decision = keyDecision(
  'composite id',
  ['auctionItemId', 'id'],
  compileTwoFieldKey,
  ({ auctionItemId, id }) => ({ auctionItemId, id }),
)

function keyDecision(
  name: string,
  idFields: readonly string[],
  compile: (model: KeyModel) => (id: unknown) => string,
  idOf: (bid: AuctionBid) => unknown,
): Decision {
  const model: KeyModel = { namespace: 'mc', name: 'AuctionBid', fingerprint: bidCodec.fingerprint, idFields }
  const compiled = compile(model)
  const atEachCall = (id: unknown): string => keyAtEachCall(model, id)
  const inputs = bids.map(idOf)
  return {
    name,
    about:
      `suite: keys of ${idFields.length === 1 ? 'a text' : 'two fields'} by a function made for them, against a join over the id fields ` +
      'of the model for each key; the library chooses by the number of fields, and walks those of a composite id at each call',
    variants: [
      { name: 'at registration', open: () => plainReads({ idOf, storeUnder: compiled, keyOf: compiled }) },
      { name: 'at each call', open: () => plainReads({ idOf, storeUnder: compiled, keyOf: atEachCall }) },
    ],
    alone: () => [
      { inputs, run: compiled },
      { inputs, run: atEachCall },
    ],
  }
}
