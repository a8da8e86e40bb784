import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { loadChapters } from '../report/chapter.ts'
import { renderMarkdown } from '../report/markdown.ts'
import { renderPage } from '../report/page/render-page.ts'
import { suites } from '../suites.ts'

const PAGE = join(import.meta.dirname, '../../../../dist/bench/report.html')

/** `npm run bench -- report`: stored results as an HTML page, and as Markdown beside it. @returns the exit code */
export async function report(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string', default: PAGE },
      from: { type: 'string' },
    },
  })
  const chapters = loadChapters(suites, values.from)
  const markdown = `${values.out.replace(/\.html$/, '')}.md`
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, renderPage(chapters))
  writeFileSync(markdown, renderMarkdown(chapters))
  const found = chapters.filter((chapter) => chapter.found).length
  const [page, text] = [values.out, markdown].map((path) => relative(process.cwd(), path))
  console.log(`${page}, ${text}: ${found} of ${chapters.length} suites`)
  return 0
}
