import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildBenched } from '../build-benched.ts'
import { loadChapters } from '../report/chapter.ts'
import { renderPage } from '../report/page/render-page.ts'
import { suites } from '../suites.ts'

const PAGE = join(import.meta.dirname, '../../../../dist/bench/report.html')

/** `npm run bench -- report`: stored results as one page. Gives the exit code. */
export async function report(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string', default: PAGE },
      from: { type: 'string' },
      'skip-build': { type: 'boolean', default: false },
    },
  })
  if (!values['skip-build']) buildBenched()
  const chapters = await loadChapters(suites, values.from)
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, renderPage(chapters))
  const found = chapters.filter((chapter) => chapter.found).length
  console.log(`${relative(process.cwd(), values.out)}: ${found} of ${chapters.length} suites`)
  return 0
}
