import { randomBytes } from 'node:crypto'

const process = randomId()
let count = 0

/** Returns a token that no other lease or fence has or had, in any process. */
export function newToken(): string {
  return `${process}.${(count++).toString(36)}`
}

/** Whether the token was created by this process. */
export function isOwnToken(token: string): boolean {
  return token.startsWith(`${process}.`)
}

/** Returns 12 random letters and digits. */
export function randomId(): string {
  return randomBytes(9).toString('base64url')
}

/** Returns the seed of an epoch that a script generates, which adds the time. No other call returns or returned the same. */
export function epochSeed(): string {
  return `${process}.${seeds++}`
}

let seeds = 0
