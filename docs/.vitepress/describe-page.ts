import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PageData } from 'vitepress'
import { ROOT_PAGES } from './root-pages.ts'

const LENGTH = 200

/** The description of a page for search engines: that of its frontmatter, or else the sentences that it begins with. */
export function describePage(page: PageData, folder: string): Partial<PageData> {
  if (page.description) return {}
  const file = ROOT_PAGES[page.params?.page as string] ?? join(folder, page.filePath)
  return { description: firstSentences(readFileSync(file, 'utf8')) }
}

/** As many sentences of the first paragraph as fit, at least one. */
function firstSentences(markdown: string): string {
  const paragraph = markdown.split(/\n{2,}/).find((block) => /^[\p{L}`*"[]/u.test(block)) ?? ''
  const sentences = plainText(paragraph).split(/(?<=[.:!?]) (?=\S)/)
  let text = sentences[0]!
  for (const sentence of sentences.slice(1)) {
    if (text.length + 1 + sentence.length > LENGTH) break
    text += ` ${sentence}`
  }
  return text.replace(/:$/, '.')
}

const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]+)\](\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
