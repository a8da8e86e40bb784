/** Rows that are written outside Prisma: `User`, whose `rating` is the version of the row, and whose city follows from it. */

/** A user moves to its other city, or back, after as many versions. */
const VERSIONS_IN_A_CITY = 5

export const userId = (user: number): string => `user ${user}`
export const cityName = (city: number): string => `city ${city}`

/** A user is in its home, or in the city after it. */
export const cityOf = (user: number, version: number, cities: number): number =>
  ((user % cities) + (Math.floor(version / VERSIONS_IN_A_CITY) % 2)) % cities

export interface UserVersion {
  readonly id: string
  readonly rating: number
  readonly city: string
  readonly email: string
}

/** What all versions of all users have. */
export const COMMON_FIELDS = {
  firstName: 'A',
  lastName: 'bidder',
  displayName: 'A bidder',
  country: 'NZ',
  locale: 'en',
  timezone: 'UTC',
} as const

/** Statements of PostgreSQL, with {@link valuesOf}. */
export const insertUsers = `INSERT INTO "User"
  (id, email, "firstName", "lastName", "displayName", country, locale, timezone, "updatedAt", rating, city)
  SELECT id, email, 'A', 'bidder', 'A bidder', 'NZ', 'en', 'UTC', now(), version, city
  FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS n(id, version, city, email)`
export const updateUsers = `UPDATE "User" AS u SET rating = n.version, city = n.city, email = n.email
  FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS n(id, version, city, email) WHERE u.id = n.id`
export const deleteUsers = 'DELETE FROM "User" WHERE id = ANY ($1)'

export const valuesOf = (users: readonly UserVersion[]) =>
  (['id', 'rating', 'city', 'email'] as const).map((column) => users.map((user) => user[column]))

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)
