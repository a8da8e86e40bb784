/** What Prisma's tests take of packages that make random values. Each call has another value, the same in every run. */
import { createHash } from 'node:crypto'

let calls = 0

/** As many hexadecimal digits as asked, of a seed, or of the next call. */
function hex(length: number, seed: unknown = `call ${++calls}`): string {
  return createHash('sha256').update(String(seed)).digest('hex').slice(0, length)
}

const uuid = (seed?: unknown): string =>
  hex(32, seed).replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-8$4-$5')
const word = (seed?: unknown): string => `Word${hex(8, seed)}`
const words = (seed?: unknown): string => `${word(seed)} ${word(`${String(seed ?? ++calls)} more`)}`
const email = (seed?: unknown): string => `${hex(12, seed)}@example.org`

export const faker = {
  seed: (): void => {},
  database: { mongodbObjectId: () => hex(24) },
  internet: { email: () => email() },
  lorem: { sentence: () => words(), slug: () => word(), word: () => word() },
  person: { firstName: () => word(), fullName: () => words(), jobTitle: () => words() },
  string: {
    alphanumeric: (length: number | { length: number }) =>
      hex(typeof length === 'number' ? length : length.length),
    numeric: (length: number | { length: number } = 1) =>
      hex(typeof length === 'number' ? length : length.length).replaceAll(/\D/g, '7'),
    uuid: () => uuid(),
  },
}

export const copycat = { email, firstName: word, fullName: words, lastName: word, streetName: words, uuid }
