import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { core, ofSeveralDatabases } from '../tiers/tiers.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

it('the specs of `npm test` that run on several databases run on the others with `npm run test:all`', () => {
  const specs = globSync(`{${core.servers.join()}}/**/*.spec.ts`, { cwd: ROOT })
  const found = specs.filter(
    (path) => !path.includes('.deep.') && /\b(?:describeOn|chosenD\w+)\(/.test(textOf(path)),
  )
  expect(found.toSorted()).toEqual(ofSeveralDatabases)
})

it('CI runs the commands of both tiers', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  expect(scripts['test']).toMatch(/--config test\/tiers\/core\.js$/)
  expect(scripts['test:all']).toMatch(/--config test\/tiers\/further\.js$/)
  expect(textOf('scripts/check.ts')).toContain(`'npm test --silent', 'npm run test:all --silent'`)
})
