/** Progress goes to stderr: stdout belongs to the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
