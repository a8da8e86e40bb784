import { type } from 'arktype'
import type { ParsedAuction, Rejection } from './auction-rows.js'
import { ImportError } from './auction-rows.js'
import { GalaLot } from './gala-lot.js'
import { galaRows } from './gala-rows.js'

const GalaFile = type({
  auction: type(/^[a-z0-9-]{1,60}$/).describe('a name of a-z, 0-9 and -'),
  items: 'unknown[]',
})

/** Parses the export of a silent auction: a JSON object with `auction`, the name, and `items`, the lots. */
export function parseGala(content: string): ParsedAuction {
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch (error) {
    throw new ImportError(`is not valid JSON: ${(error as Error).message}`)
  }
  const file = GalaFile(json)
  if (file instanceof type.errors) {
    throw new ImportError(
      `is JSON, but not an auction: ${file.map(({ message }) => message).join('; ')}. Expected { "auction": "name", "items": [lots] }, as in gala-auction.json`,
    )
  }

  const { lots, rejections } = validLots(file.items)
  return { rows: lots.length > 0 ? galaRows(file.auction, lots) : null, rejections }
}

function validLots(items: unknown[]): { lots: GalaLot[]; rejections: Rejection[] } {
  const lots: GalaLot[] = []
  const rejections: Rejection[] = []
  /** Where each lot id, lot number and bid id occurred first. */
  const seen = new Map<string, string>()

  for (const [index, item] of items.entries()) {
    const id = (item as { id?: unknown } | null)?.id
    const where = `items[${index}]${typeof id === 'string' ? ` (id ${id.slice(0, 40)})` : ''}`
    const lot = GalaLot(item)
    if (lot instanceof type.errors) {
      rejections.push({ where, reason: lot.map(({ message }) => message).join('; ') })
      continue
    }
    const names = [`id ${lot.id}`, `lot ${lot.lot}`, ...lot.winningBids.map((bid) => `bid ${bid.id}`)]
    const taken = names.find((name) => seen.has(name))
    if (taken) {
      rejections.push({ where, reason: `${taken} is already used by ${seen.get(taken)}` })
      continue
    }
    for (const name of names) seen.set(name, where)
    lots.push(lot)
  }
  return { lots, rejections }
}
