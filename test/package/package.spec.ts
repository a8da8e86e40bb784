import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changesOf } from '../../scripts/changelog.js'
import { packages } from '../../scripts/packages.js'
import { repositoryProblem, UNSET_REPOSITORY } from '../../scripts/repository.js'

const ROOT = join(import.meta.dirname, '../..')

/** scripts/publish/check-package.ts packs the packages and checks their contents. */
describe.each(packages.map(({ folder, name }) => [name, folder]))('the package %s', (name, folder) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
    files: string[]
    version: string
    publishConfig?: object
    repository?: { type: string; url: string; directory: string }
    scripts?: Record<string, string>
  }

  it('is built before packing; model-cache includes the documentation, the dashboard and the alerts', () => {
    expect(manifest.scripts?.prepack).toBe('node ../../scripts/build-package.ts')
    expect(manifest.files).toEqual(name === 'model-cache' ? ['dist', 'docs', 'monitoring'] : ['dist'])
  })

  it('has a licence, and says what it is', () => {
    expect(existsSync(join(ROOT, folder, 'LICENSE'))).toBe(true)
    // That of model-cache is the one of the repository.
    expect(existsSync(join(ROOT, name === 'model-cache' ? '' : folder, 'README.md'))).toBe(true)
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
    expect(repositoryProblem(folder, manifest.repository, process.env)).toBeUndefined()
    const unset = { type: 'git', url: UNSET_REPOSITORY, directory: folder }
    const release = {
      GITHUB_REF_TYPE: 'tag',
      GITHUB_REPOSITORY: 'ann/caches',
      GITHUB_SERVER_URL: 'https://github.com',
    }
    const set = { ...unset, url: 'git+https://github.com/ann/caches.git' }
    expect(repositoryProblem(folder, unset, {})).toBeUndefined()
    expect(repositoryProblem(folder, set, release)).toBeUndefined()
    expect(repositoryProblem(folder, unset, release)).toContain(UNSET_REPOSITORY)
    expect(repositoryProblem(folder, undefined, {})).toContain('Leave it as it is')
    const steps = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
    expect(steps.indexOf('npm pkg set')).toBeGreaterThan(0)
    expect(steps.indexOf('npm pkg set')).toBeLessThan(steps.indexOf('npm run check'))
    expect(steps.indexOf('npm run check')).toBeLessThan(steps.indexOf('npm pack'))
  })
})

it('the packages have one version', () => {
  expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1)
})

it('the packages refer to existing pages', () => {
  const pages = new Set(readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`))
  const texts = globSync('libs/*/src/**/*.ts', { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  )
  const cited = texts.flatMap((text) => text.match(/docs\/[\w-]+\.md/g) ?? [])
  expect(cited).not.toEqual([])
  expect(cited.filter((page) => !pages.has(page))).toEqual([])
})
