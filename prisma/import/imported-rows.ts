import type { AuctionRows } from './auction-rows.js'

// Defaults for columns that auction files do not have.

export function importedFundraiser(values: {
  id: string
  slug: string
  name: string
  startsAt: Date
  endsAt: Date | null
}): AuctionRows['fundraiser'] {
  return {
    ...values,
    createdAt: values.startsAt,
    updatedAt: values.startsAt,
    tagline: 'A real auction, loaded from a file',
    status: values.endsAt ? 'CLOSED' : 'LIVE',
    currency: 'EUR',
    locale: 'en-IE',
    timezone: 'UTC',
    country: 'IE',
    charityName: 'Not named in the file',
    charityMission: '',
    organiserName: 'Not named in the file',
    organiserEmail: 'auction@example.org',
    goalAmount: 0,
    minimumDonation: 1,
    platformFeePercent: 0,
    processingFeePercent: 0,
    processingFeeFixed: 0,
    primaryColor: '#0b3d5c',
    accentColor: '#e0a526',
    theme: {},
    socialLinks: {},
    faq: [],
    tags: ['imported'],
    description: '',
    story: '',
    termsAndConditions: '',
    privacyNotice: '',
    biddingRules: '',
    collectionNotes: '',
    emailFooter: '',
  }
}

/** Builds a user from the id or pseudonym in the file. */
export function importedUser(
  id: string,
  pseudonym: string,
  createdAt: Date,
  rating = 0,
): AuctionRows['users'][number] {
  return {
    id,
    email: `${pseudonym}@bidders.invalid`,
    firstName: 'Bidder',
    lastName: pseudonym,
    displayName: `Bidder ${pseudonym.slice(0, 11)}`,
    country: 'IE',
    locale: 'en-IE',
    timezone: 'UTC',
    rating,
    createdAt,
    updatedAt: createdAt,
  }
}
