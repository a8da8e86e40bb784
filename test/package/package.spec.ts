import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const LIBRARY = join(ROOT, 'libs/model-cache')

/** scripts/check-package.ts packs the package and checks its contents. */
describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
    files: string[]
    scripts?: Record<string, string>
  }

  it('is built before packing and includes the documentation', () => {
    expect(manifest.scripts?.prepack).toBe('node ../../scripts/build-package.ts')
    expect(manifest.files).toEqual(['dist', 'docs'])
  })

  it('refers to existing pages', () => {
    const pages = new Set(readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`))
    const files = readdirSync(join(LIBRARY, 'src'), { recursive: true, encoding: 'utf8' })
    const texts = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(LIBRARY, 'src', file), 'utf8'))
    const cited = texts.flatMap((text) => text.match(/docs\/[\w-]+\.md/g) ?? [])
    expect(cited).not.toEqual([])
    expect(cited.filter((page) => !pages.has(page))).toEqual([])
  })
})
