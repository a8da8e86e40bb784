import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GROUPS } from '../../docs/.vitepress/sidebar.js'
import { PAGES, ROOT } from './pages.js'

describe('the sidebar of the site', () => {
  const links = Object.values(GROUPS).flatMap((pages) => Object.keys(pages))

  it('has each page once, and no other', () => {
    const pages = PAGES.filter((page) => !['README.md', 'docs/index.md'].includes(page)).map(
      (page) => `/${page.replace(/^docs\//, '').replace(/(index)?\.md$/, '')}`,
    )
    const expected = pages.map((page) => (/^\/[A-Z]+$/.test(page) ? page.toLowerCase() : page))
    expect(links.filter((link) => !link.startsWith('/reference/')).toSorted()).toEqual(expected.toSorted())
  })

  it('has a page for each entry point, which TypeDoc names by its tag @module', () => {
    const { entryPoints } = JSON.parse(readFileSync(join(ROOT, 'libs/typedoc.json'), 'utf8')) as {
      entryPoints: string[]
    }
    const modules = entryPoints.map(
      (file) =>
        /@module (\S+)/.exec(readFileSync(join(ROOT, 'libs', file), 'utf8'))?.[1] ?? `${file} has none`,
    )
    const pages = links.filter((link) => /^\/reference\/./.test(link))
    expect(modules.map((name) => `/reference/${name}`)).toEqual(pages)
  })
})
