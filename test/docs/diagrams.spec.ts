import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGES, readPage, ROOT } from './pages.js'

const IMAGES = join(ROOT, 'docs/images')

describe('the images of the documentation', () => {
  const images = readdirSync(IMAGES)
  const diagrams = images.filter((name) => name.endsWith('.svg'))

  it.each(diagrams)('have a title and a description, and colours for dark screens: %s', (name) => {
    const svg = readFileSync(join(IMAGES, name), 'utf8')
    expect(svg).toMatch(/<title id="title">[^<]{5,}<\/title>/)
    expect(svg).toMatch(/<desc id="desc">[^<]{40,}<\/desc>/)
    expect(svg).toContain('aria-labelledby="title desc"')
    expect(svg).toContain('prefers-color-scheme: dark')
  })

  it('are all shown by a page, with an alternative text', () => {
    const texts = PAGES.map(readPage).join('\n')
    const home = readFileSync(join(ROOT, 'docs/.vitepress/theme/Welcome.vue'), 'utf8')
    const isShown = (name: string): boolean =>
      new RegExp(`!\\[[^\\]]{40,}\\]\\((?:\\.\\./)?images/${name}\\)`).test(texts) ||
      home.includes(`images/${name}'`)
    expect(images.filter((name) => !isShown(name))).toEqual([])
    expect(home.match(/<img /g)).toEqual(home.match(/<img [^>]*alt="[^"]{10,}"/g)?.map(() => '<img '))
  })
})
