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
    const library = join(ROOT, 'libs/model-cache')
    const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as {
      exports: Record<string, string | { default: string }>
    }
    const modules = Object.values(exports).flatMap((entry) => {
      if (typeof entry === 'string') return []
      const source = entry.default.replace('./dist/esm/', 'src/').replace('.js', '.ts')
      return [/@module (\S+)/.exec(readFileSync(join(library, source), 'utf8'))?.[1] ?? `${source} has none`]
    })
    const pages = links.filter((link) => link.startsWith('/reference/m'))
    expect(modules.map((name) => `/reference/${name}`)).toEqual(pages)
  })
})
