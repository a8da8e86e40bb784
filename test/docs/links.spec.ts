import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { anchorsOf, PAGES, readPage, ROOT, withoutCode } from './pages.js'

/** The links of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
  const targets = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inline, reference]) => (inline ?? reference)!,
  )
  return targets.filter((target) => {
    if (/^(https?|mailto):/.test(target)) return false
    const [path, anchor] = target.split('#') as [string, string?]
    const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path))
    if (!existsSync(join(ROOT, file))) return true
    return anchor !== undefined && !anchorsOf(file).includes(anchor)
  })
}

describe('links of the documentation', () => {
  it.each(PAGES)('lead to files and headings that exist: %s', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })

  it('reach every page of docs from the README', () => {
    const readme = readPage('README.md')
    expect(PAGES.filter((page) => page.startsWith('docs/') && !readme.includes(`(${page}`))).toEqual([])
  })
})
