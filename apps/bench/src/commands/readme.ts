import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildBenched } from '../build-benched.ts'
import { loadChapters } from '../report/chapter.ts'
import { generatedPages } from '../readme/pages.ts'
import { suites } from '../suites.ts'

/**
 * `npm run bench -- readme`: stored results in README.md and the pages of docs made of them. Gives the exit code: with `--check`,
 * which writes nothing, 1 when they are not what it would write.
 */
export async function readme(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      check: { type: 'boolean', default: false },
      'skip-build': { type: 'boolean', default: false },
    },
  })
  if (!values['skip-build']) buildBenched()
  const pages = await generatedPages(await loadChapters(suites))
  const stale = pages.filter(({ current, wanted }) => current !== wanted)
  if (!values.check) for (const { path, wanted } of stale) writeFileSync(path, wanted)
  const remedy = values.check ? ', which `npm run bench -- readme` writes anew' : ', written anew'
  for (const page of pages) {
    console.log(`${page.name}: ${stale.includes(page) ? `not up to date${remedy}` : 'up to date'}`)
  }
  return values.check && stale.length > 0 ? 1 : 0
}
