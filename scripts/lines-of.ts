/** Breaks a paragraph into lines of at most so many characters. Code in backticks stays in one line. */
export function linesOf(paragraph: string, length: number): string[] {
  const lines = ['']
  for (const word of paragraph.match(/`[^`]*`\S*|\S+/g) ?? []) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + 1 + word.length > length) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
