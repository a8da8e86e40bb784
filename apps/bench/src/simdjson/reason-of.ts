/** The first line that says what went wrong, of all that a failed build has printed. */
export function reasonOf(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const telling = lines.find(
    (line) => /\berror\b|ERR! stack/i.test(line) && !/ERR! (UNCAUGHT|configure|build)/.test(line),
  )
  return (telling ?? lines[0] ?? 'no reason given').replace(/^(gyp|npm) (ERR!|error) (stack )?/i, '')
}
