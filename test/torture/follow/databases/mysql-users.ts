/** The statements of `users.ts` for MariaDB and MySQL. */
import { valuesOf } from '../../users.ts'
import { CITIES } from '../judge-reads.ts'

const marksOf = (users: readonly number[], row: string): string => users.map(() => row).join()

export const insertUsers = (users: readonly number[]): string =>
  `INSERT INTO \`User\` (id, rating, city, email, firstName, lastName, displayName, country, locale, timezone, updatedAt)
   VALUES ${marksOf(users, `(?, ?, ?, ?, 'A', 'bidder', 'A bidder', 'NZ', 'en', 'UTC', now())`)}`

export const updateUsers = (users: readonly number[]): string =>
  `${insertUsers(users)} ON DUPLICATE KEY UPDATE rating = VALUES(rating), city = VALUES(city), email = VALUES(email)`

export const deleteUsers = (users: readonly number[]): string =>
  `DELETE FROM \`User\` WHERE id IN (${marksOf(users, '?')})`

/** Parameters of these statements. @param version of each user, or of all */
export function valuesOfUsers(users: readonly number[], version: number | readonly number[]): unknown[] {
  const [ids, ...columns] = valuesOf(users, version, CITIES) as [readonly string[], ...unknown[][]]
  return ids.flatMap((id, i) => [id, ...columns.map((column) => column[i])])
}
