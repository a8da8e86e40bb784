import type { Chapter } from './chapter.ts'
import type { Section, Table } from './section.ts'

/** What docs/benchmarks.md says of one suite, as Markdown. */
export function chapterOf({ name, question, found }: Chapter): string {
  const head = [`### ${name}`, escapeMarkdown(question)]
  if (!found) {
    return [
      ...head,
      `No result is stored yet: \`npm run bench -- ${name}\` measures it and stores one.`,
    ].join('\n\n')
  }
  return [
    ...head,
    `\`npm run bench -- ${name}\`. ${found.header.map(escapeMarkdown).join(' ')}`,
    ...found.sections.map((section) => sectionOf(section, '####')),
  ].join('\n\n')
}

/** A section under a heading of this depth. */
export function sectionOf({ title, text = [], table }: Section, heading: '###' | '####'): string {
  return [
    `${heading} ${escapeMarkdown(title)}`,
    ...(text.length > 3
      ? [text.map((line) => `- ${escapeMarkdown(line)}`).join('\n')]
      : text.map(escapeMarkdown)),
    ...(table ? [tableOf(table)] : []),
  ].join('\n\n')
}

export function tableOf({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** Addresses stay as they are: Markdown makes links of them. */
export function escapeMarkdown(text: string): string {
  return text.replace(/(https?:\/\/\S+)|[\\`*_|<>[\]]/g, (found, url?: string) => url ?? `\\${found}`)
}
