/** The changes that docs/adopt.md asks for, taken from its samples. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const PAGE = join(import.meta.dirname, '../../../docs/adopt.md')

/** A sample that is a whole file, or a part of one with `+` and `-` before the lines that change. Its first line names the file. */
export interface Change {
  readonly file: string
  readonly isNew: boolean
  readonly lines: readonly string[]
}

/** The changes of one section of the page, in its order. */
export function changesOf(heading: string): readonly Change[] {
  const sections = readFileSync(PAGE, 'utf8').split(/^## /m)
  const section = sections.find((text) => text.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`docs/adopt.md has no section "${heading}"`)
  return [...section.matchAll(/^```(ts|diff)\n\s*\/\/ (\S+)\n([^]*?)^```$/gm)].map(
    ([, kind, file, text]) => ({
      file: file!,
      isNew: kind === 'ts',
      lines: text!.trimEnd().split('\n'),
    }),
  )
}

/** The lines that a change adds, without blank ones. */
export function addedLines({ isNew, lines }: Change): readonly string[] {
  const added = isNew ? lines : lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
  return added.filter((line) => line.trim() !== '')
}

/** @throws Error if the file does not have the lines that the change is about, once */
export function applyChange(root: string, { file, isNew, lines }: Change): void {
  const path = join(root, file)
  if (isNew) {
    if (existsSync(path)) throw new Error(`${file} exists already`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${lines.join('\n')}\n`)
    return
  }
  const text = readFileSync(path, 'utf8').split('\n')
  const side = (sign: '+' | '-') =>
    lines
      .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign))
      .map((line) => line.slice(1))
  const [before, after] = [side('-'), side('+')]
  const places = text.flatMap((_, at) => (before.every((line, i) => text[at + i] === line) ? [at] : []))
  if (places.length !== 1) {
    throw new Error(`${file} has ${places.length} places, instead of one, with\n${before.join('\n')}`)
  }
  writeFileSync(path, text.toSpliced(places[0]!, before.length, ...after).join('\n'))
}
