import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ambiguousAnchorsOf, anchorsOf, PAGES, readPage, ROOT, withoutCode } from './pages.js'

interface Link {
  readonly file: string
  readonly anchor: string | undefined
}

/** The targets of the links of a page that are not as they have to be. Links to other sites are left out. */
function wrongLinks(page: string, isWrong: (link: Link) => boolean): string[] {
  const targets = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inline, reference]) => (inline ?? reference)!,
  )
  return targets.filter((target) => {
    if (/^(https?|mailto):/.test(target)) return false
    const [path, anchor] = target.split('#') as [string, string?]
    const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path))
    return isWrong({ file, anchor })
  })
}

function isBroken({ anchor, file }: Link): boolean {
  if (!existsSync(join(ROOT, file))) return true
  return anchor !== undefined && !anchorsOf(file).includes(anchor)
}

describe('links of the documentation', () => {
  it.each(PAGES)('lead to files and headings that exist: %s', (page) => {
    expect(wrongLinks(page, isBroken)).toEqual([])
  })

  it.each(PAGES)('lead to no heading whose text another one has as well: %s', (page) => {
    const isAmbiguous = ({ anchor, file }: Link): boolean =>
      anchor !== undefined && ambiguousAnchorsOf(file).includes(anchor)
    expect(wrongLinks(page, isAmbiguous)).toEqual([])
  })

  it('reach every page from the README, or from the recipes that it links', () => {
    const recipes = readPage('docs/recipes/index.md').replaceAll(/\]\((?=[\w-]+\.md)/g, '](docs/recipes/')
    const map = readPage('README.md') + recipes
    // The home of the site shows parts of the README.
    const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')
    expect(pages.filter((page) => !map.includes(`(${page}`))).toEqual([])
  })
})
