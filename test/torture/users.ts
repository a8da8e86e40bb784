/** Rows that are written outside Prisma: `User`, whose `rating` is the version of the row, and whose city and email follow from it. */

/** A user moves to its other city, or back, after as many versions. */
const VERSIONS_IN_A_CITY = 5

export const userId = (user: number): string => `user ${user}`
export const cityName = (city: number): string => `city ${city}`

/** A user is in its home, or in the city after it. */
export const cityOf = (user: number, version: number, cities: number): number =>
  ((user % cities) + (Math.floor(version / VERSIONS_IN_A_CITY) % 2)) % cities

export const insertUsers = `INSERT INTO "User"
  (id, email, "firstName", "lastName", "displayName", country, locale, timezone, "updatedAt", rating, city)
  SELECT id, email, 'A', 'bidder', 'A bidder', 'NZ', 'en', 'UTC', now(), version, city
  FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS n(id, version, city, email)`
export const updateUsers = `UPDATE "User" AS u SET rating = n.version, city = n.city, email = n.email
  FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS n(id, version, city, email) WHERE u.id = n.id`
export const deleteUsers = 'DELETE FROM "User" WHERE id = ANY ($1)'

/** Parameters of these statements: ids, versions, cities and emails. @param version of each user, or of all */
export function valuesOf(
  users: readonly number[],
  version: number | readonly number[],
  cities: number,
  emailOf = (id: string, _version: number): string => `${id}@example.org`,
): [readonly string[], ...unknown[]] {
  const versions = typeof version === 'number' ? users.map(() => version) : version
  return [
    users.map(userId),
    versions,
    users.map((user, i) => cityName(cityOf(user, versions[i]!, cities))),
    users.map((user, i) => emailOf(userId(user), versions[i]!)),
  ]
}

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)
