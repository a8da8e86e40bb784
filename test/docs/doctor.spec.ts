import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, ROOT } from './pages.js'

const folder = join(ROOT, 'libs/cli/src/doctor')

/** What a check that fails is reported as, and what is as it should be. */
const unlisted = [
  'caches.listed',
  'mysql.server',
  'postgres.server',
  'project.packages',
  'results.kept',
  'valkey.server',
]

/** The ids of findings in the source of the doctor. */
const ids = new Set(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .flatMap((name) =>
      Array.from(
        readFileSync(join(folder, name), 'utf8').matchAll(
          /'((?:valkey|caches|follow|mysql|postgres|project|results)\.[a-z-]+)'/g,
        ),
        ([, id]) => id!,
      ),
    ),
)

describe('docs/doctor.md', () => {
  it('lists every finding, and no other one', () => {
    const listed = Array.from(
      readPage('docs/doctor.md').matchAll(/^\| `([a-z]+\.[a-z-]+)` /gm),
      ([, id]) => id!,
    )
    const composed =
      /^postgres\.(pooler|version|replica|wal-level|standby-names|slots|table|replica-identity|row-filter)$|^mysql\.(version|replica|binlog-.*|gtid-mode|role)$/
    expect([...ids].filter((id) => !listed.includes(id) && !unlisted.includes(id))).toEqual([])
    expect(listed.filter((id) => !ids.has(id) && !composed.test(id))).toEqual([])
  })

  it('lists every command, and no other one', () => {
    const source = readFileSync(join(ROOT, 'libs/cli/src/run-command-line.ts'), 'utf8')
    const commands = Array.from(source.matchAll(/^ {2}'?([a-z-]+)'?: async \(\) =>/gm), ([, name]) => name!)
    const [introduction] = readPage('docs/doctor.md').split('\n## ')
    const listed = Array.from(introduction!.matchAll(/^\| \[?`([a-z-]+)[ `]/gm), ([, name]) => name!)
    expect(commands.length).toBeGreaterThan(5)
    expect([...new Set(listed)].toSorted()).toEqual(commands.toSorted())
  })
})
