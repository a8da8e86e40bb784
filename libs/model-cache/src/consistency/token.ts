import { randomBytes } from 'node:crypto'

const process = randomWord()
let count = 0

/** A word that no other lease or fence has or had, in whichever process. */
export function newToken(): string {
  return `${process}.${(count++).toString(36)}`
}

/** Of which process a token is. */
export function isOwnToken(token: string): boolean {
  return token.startsWith(`${process}.`)
}

/** 12 letters and digits that have not been drawn before. */
export function randomWord(): string {
  return randomBytes(9).toString('base64url')
}
