/** Matches whole words of a camel- or snake-case name; passwords also within a word, as in `userpassword`. */
const secret = /[Pp]assw(or)?d|((^|_)(secret|token|hash)|Secret|Token|Hash)s?(?![a-z])/

/** Whether the name of a field looks like that of a secret. */
export function namesSecret(field: string): boolean {
  return secret.test(field)
}
