/** The model of the demo whose rows belong to lists and have a unique key. */
export const LOT_MODEL = 'AuctionItem'

export const statuses = ['open', 'sold', 'void'] as const
export type Status = (typeof statuses)[number]

/** The fields of a lot that lookups depend on, in one version. Each change of a row, and its creation, makes a new one. */
export interface Lot {
  readonly id: string
  /** From 1 on. */
  readonly version: number
  readonly fundraiserId: string
  /** Unique among the lots of a fundraiser. */
  readonly lot: string
  readonly sortOrder: number
  readonly status: Status
}

/** What a cache of lots reads, and what the checks compare. */
export type LotRow = Omit<Lot, 'version'> & { readonly bidCount: number }

export const lotSelection = {
  id: true,
  fundraiserId: true,
  lot: true,
  sortOrder: true,
  status: true,
  bidCount: true,
}

export const lotOf = ({ bidCount, ...fields }: LotRow): Lot => ({ ...fields, version: bidCount })

/** One in so many fundraisers gets half of the work. */
const HOT = 4
export const hotFundraisersOf = (fundraisers: number): number => Math.ceil(fundraisers / HOT)
export const fundraiserIdOf = (number: number): string => `fundraiser-${number}`
/** Places of lots that lots are given at random. A fundraiser has fewer lots than places. */
export const placesOfFundraiser = 10
export const placeOf = (number: number): string => `place-${number}`
