/**
 * Prepares what `npm pack` packs of a package, as its `prepack`: a fresh build, so that no file of an earlier one is packed, and for
 * `model-cache` the pages of docs that users read, the README, the dashboard and the alerts. Refuses a version that the changelog does not
 * have.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changesOf } from './changelog.ts'
import { packages } from './packages.ts'

const ROOT = join(import.meta.dirname, '..')
const LIBRARY = join(ROOT, 'libs/model-cache')
const PAGES = '{README.md,docs/*.md,docs/recipes/*.md}'
/** What makes a site of the pages, and what is about the project. */
const UNPACKED = ['\\[page\\]', 'index', 'benchmarks', 'decisions', 'demo', 'model-checking']

/** What Grafana and Prometheus load, by its name in the package. */
const MONITORING = {
  'alerts.yml': 'docker/prometheus/alerts.yml',
  'grafana-dashboard.json': 'docker/grafana/dashboards/model-cache.json',
}

const { manifest } = packages.find(({ folder }) => join(ROOT, folder) === process.cwd())!
changesOf(manifest.version, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))
const { status } = spawnSync('npm run --silent build:library', { cwd: ROOT, stdio: 'inherit', shell: true })
if (status !== 0) process.exit(status ?? 1)
if (process.cwd() === LIBRARY) addPages()

/** Of the packages, `model-cache` has the pages. */
function addPages(): void {
  for (const folder of ['docs', 'monitoring']) rmSync(join(LIBRARY, folder), { recursive: true, force: true })
  const exclude = UNPACKED.map((name) => `docs/${name}.md`)
  const pages = globSync(PAGES, { cwd: ROOT, exclude })
  for (const page of pages) {
    mkdirSync(dirname(join(LIBRARY, page)), { recursive: true })
    writeFileSync(join(LIBRARY, page), withoutDeadLinks(page, pages))
  }
  mkdirSync(join(LIBRARY, 'monitoring'))
  for (const [name, source] of Object.entries(MONITORING))
    copyFileSync(join(ROOT, source), join(LIBRARY, 'monitoring', name))
}

/** A page in which pictures, and links to files that are not packed, are their texts. */
function withoutDeadLinks(page: string, pages: readonly string[]): string {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return text.replaceAll(
    /!?\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g,
    (link, words: string, target: string) => {
      const path = join(dirname(page), target)
      return pages.includes(path) || existsSync(join(LIBRARY, path)) ? link : words
    },
  )
}
