import type { AuctionBid } from '#prisma/client/client.js'
import { bids } from '../bids.ts'
import type { Decision, Variant } from '../decision.ts'
import { plainReads } from './plain-reads.ts'

/** What somebody may want to be told of each row; nobody does here. */
interface Hooks {
  beforeRow?: (row: AuctionBid) => void
  onRow?: (row: AuctionBid) => void
  afterRow?: (row: AuctionBid) => void
}

type Tell = (row: AuctionBid) => void

/** Hooks or none: put together once of those that are configured, or looked for at each row. */
export const hooks: Decision = {
  name: 'hooks',
  about:
    'suite: three hooks that nobody has configured, put together once to nothing, against an if for each of them at each row',
  variants: [variant('at registration', compose), variant('at each call', askEachTime)],
  alone: () => [
    { inputs: bids, run: compose({}) },
    { inputs: bids, run: askEachTime({}) },
  ],
}

function compose({ beforeRow, onRow, afterRow }: Hooks): Tell {
  const configured = [beforeRow, onRow, afterRow].filter((hook) => hook !== undefined)
  if (configured.length === 0) return () => {}
  return (row) => {
    for (const hook of configured) hook(row)
  }
}

function askEachTime(configured: Hooks): Tell {
  return (row) => {
    if (configured.beforeRow) configured.beforeRow(row)
    if (configured.onRow) configured.onRow(row)
    if (configured.afterRow) configured.afterRow(row)
  }
}

function variant(name: string, create: (configured: Hooks) => Tell): Variant {
  const idOf = ({ id }: AuctionBid): string => id
  const keyOf = (id: string): string => id
  return { name, open: () => plainReads({ idOf, storeUnder: keyOf, keyOf, onRow: create({}) }) }
}
