import { areFigures } from '../harness/format.ts'
import type { Section, Table } from '../harness/section.ts'
import type { Chapter } from './chapter.ts'

/** All chapters as one Markdown page. */
export const renderMarkdown = (chapters: readonly Chapter[]): string =>
  ['# Measurements of model-cache', ...chapters.map(chapterOf), ''].join('\n\n')

function chapterOf({ name, question, found }: Chapter): string {
  const command = `\`npm run bench -- ${name}\``
  const header = found?.header.map(escapeMarkdown).join(' ') ?? 'measures it; no result is stored.'
  const conclusion = found?.conclusion ? [escapeMarkdown(found.conclusion)] : []
  const sections = (found?.sections ?? []).map(sectionOf)
  return [`## ${name}`, question, ...conclusion, `${command} ${header}`, ...sections].join('\n\n')
}

const sectionOf = ({ title, text = [], table }: Section): string =>
  [
    `### ${escapeMarkdown(title)}`,
    ...(text.length > 3
      ? [text.map((line) => `- ${escapeMarkdown(line)}`).join('\n')]
      : text.map(escapeMarkdown)),
    ...(table ? [markdownTable(table)] : []),
  ].join('\n\n')

export function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  const rule = head.map((_, column) => {
    const cells = rows.map((row) => row[column]!)
    return column > 0 && areFigures(cells) ? '--:' : '---'
  })
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** Leaves URLs as they are: Markdown turns them into links. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/(https?:\/\/\S+)|[\\`*_|<>[\]]/g, (found, url?: string) => url ?? `\\${found}`)
