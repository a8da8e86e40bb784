/** The rows that are written past Prisma: `User`, whose `rating` is the version of the row, and whose `city` follows from it. */

export const ROWS = 2_000
export const CITIES = 100
/** A row moves to its other city, or back, after as many versions. */
const VERSIONS_IN_A_CITY = 5

export const idOf = (row: number): string => `user ${row}`
export const rowOf = (id: string): number => Number(id.slice('user '.length))

/** A row is in its home, or in the city after it. */
export const cityOf = (row: number, version: number): number =>
  ((row % CITIES) + (Math.floor(version / VERSIONS_IN_A_CITY) % 2)) % CITIES

export const cityName = (city: number): string => `city ${city}`

/** All rows that are ever in a city. */
export function rowsOfCity(city: number): readonly number[] {
  const homes = [city, (city + CITIES - 1) % CITIES]
  return Array.from({ length: ROWS }, (_, row) => row).filter((row) => homes.includes(row % CITIES))
}

/** Inserts rows of {@link valuesOf}. */
export const insert = `INSERT INTO "User"
  (id, email, "firstName", "lastName", "displayName", country, locale, timezone, "updatedAt", rating, city)
  SELECT id, id || '@example.org', 'A', 'bidder', 'A bidder', 'NZ', 'en', 'UTC', now(), version, city
  FROM unnest($1::text[], $2::int[], $3::text[]) AS n(id, version, city)`

/** Parameters of a statement: ids, versions and cities. */
export const valuesOf = (rows: readonly number[], versions: readonly number[]): unknown[] => [
  rows.map(idOf),
  versions,
  rows.map((row, i) => cityName(cityOf(row, versions[i]!))),
]
