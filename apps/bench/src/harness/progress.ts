/** Prints progress to stderr; stdout is for the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
