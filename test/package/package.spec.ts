import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changesOf } from '../../scripts/changelog.js'
import { repositoryProblem, UNSET_REPOSITORY } from '../../scripts/repository.js'

const ROOT = join(import.meta.dirname, '../..')
const LIBRARY = join(ROOT, 'libs/model-cache')

/** scripts/publish/check-package.ts packs the package and checks its contents. */
describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
    files: string[]
    version: string
    publishConfig?: object
    repository?: { type: string; url: string; directory: string }
    scripts?: Record<string, string>
  }

  it('is built before packing, and includes the documentation, the dashboard and the alerts', () => {
    expect(manifest.scripts?.prepack).toBe('node ../../scripts/build-package.ts')
    expect(manifest.files).toEqual(['dist', 'docs', 'monitoring'])
  })

  it('has an entry in the changelog for its version', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
    expect(changesOf(manifest.version, changelog).text).toContain('### ')
    expect(changesOf('0.1.0', '# Changelog\n\n## [0.1.0] - 2026-12-01\n\nFirst.\n\n## [0.0.9]\n')).toEqual({
      date: '2026-12-01',
      text: 'First.',
    })
    expect(() => changesOf('0.2.0', changelog)).toThrow(/CHANGELOG\.md has no entry for 0\.2\.0/)
  })

  it('is published for everybody, with a statement of its provenance', () => {
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
    const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
    expect(workflow).toContain('id-token: write')
  })

  it('names the repository that a release is made from, which the release has to set', () => {
    expect(repositoryProblem(manifest.repository, process.env)).toBeUndefined()
    const unset = { type: 'git', url: UNSET_REPOSITORY, directory: 'libs/model-cache' }
    const release = {
      GITHUB_REF_TYPE: 'tag',
      GITHUB_REPOSITORY: 'ann/caches',
      GITHUB_SERVER_URL: 'https://github.com',
    }
    const set = { ...unset, url: 'git+https://github.com/ann/caches.git' }
    expect(repositoryProblem(unset, {})).toBeUndefined()
    expect(repositoryProblem(set, release)).toBeUndefined()
    expect(repositoryProblem(unset, release)).toContain(UNSET_REPOSITORY)
    expect(repositoryProblem(undefined, {})).toContain('Leave it as it is')
    const steps = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
    expect(steps.indexOf('npm pkg set')).toBeGreaterThan(0)
    expect(steps.indexOf('npm pkg set')).toBeLessThan(steps.indexOf('npm run check'))
    expect(steps.indexOf('npm run check')).toBeLessThan(steps.indexOf('npm pack'))
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
