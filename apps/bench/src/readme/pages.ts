import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { capacitySheet, type ScaleResult } from '../capacity/capacity-sheet.ts'
import { chapterOf, escapeMarkdown, tableOf } from '../report/markdown.ts'
import type { Chapter } from '../report/chapter.ts'
import { readResult } from '../result/stored-results.ts'
import { withGenerated } from './generated-part.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** A page of the repository as it should be. */
export interface GeneratedPage {
  /** Below the repository's root. */
  readonly name: string
  readonly path: string
  readonly current: string
  readonly wanted: string
}

/** The pages that show stored results, each with what it shows between its marks. */
export async function generatedPages(chapters: readonly Chapter[]): Promise<GeneratedPage[]> {
  return Promise.all([
    generatedPage('README.md', performanceOf(chapters)),
    generatedPage('docs/benchmarks.md', chapters.map(chapterOf).join('\n\n')),
    generatedPage('docs/capacity.md', capacitySheet(readResult('scale') as ScaleResult | undefined)),
  ])
}

async function generatedPage(name: string, text: string): Promise<GeneratedPage> {
  const path = join(ROOT, name)
  const current = readFileSync(path, 'utf8')
  const options = { ...(await resolveConfig(path)), parser: 'markdown' }
  return { name, path, current, wanted: await format(withGenerated(name, current, text), options) }
}

/** The headlines of the suites that have some; those without a result name the command that makes one. */
export function performanceOf(chapters: readonly Chapter[]): string {
  const headlines = chapters.flatMap(({ name, found }) => (found?.headline ? [{ name, found }] : []))
  if (headlines.length === 0) {
    return 'No results are stored yet: `npm run bench -- storm` and the other suites store them, and `npm run bench -- readme` writes them here.'
  }
  return headlines
    .map(({ name, found }) => {
      const { title, text = [], table } = found.headline!
      return [
        `**${escapeMarkdown(title)}** (\`npm run bench -- ${name}\`)`,
        ...text.map(escapeMarkdown),
        ...(table ? [tableOf(table)] : []),
      ].join('\n\n')
    })
    .join('\n\n')
}
