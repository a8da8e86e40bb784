/**
 * `npm run test:node`: runs the library's tests on the other supported Node versions. `npm run test:node -- 22` runs them
 * on one version.
 *
 * Skips the tests of the application, and those of the library that serve requests, because Jest cannot run Fastify and Mercurius
 * below Node 24.9. Skips the architecture and type tests, because they do not depend on the Node version.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { installNode } from '../test/support/install-node.ts'
import { installParts } from './install-parts.ts'

const VERSIONS = ['22', '24']
// Not by --testPathIgnorePatterns, which would replace those of the projects: each of these tests would run in both.
const TESTS = [
  'libs/',
  'test/integration/(?!observe/|doctor/demo|inspector/attacks)',
  'test/support/',
  'test/wire/',
]

const ROOT = join(import.meta.dirname, '..')

const versions = process.argv.slice(2)
const unknown = versions.filter((version) => !VERSIONS.includes(version))
if (unknown.length > 0) {
  throw new Error(
    `${unknown.join(', ')} is not supported here. Use ${VERSIONS.join(' or ')}, or run \`npm test\`.`,
  )
}

installParts('test/integration/stacked')
const lines = (versions.length > 0 ? versions : VERSIONS).map((version) => {
  const bin = installNode(version)
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH }
  const name = spawnSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).stdout.trim()
  if (!name.startsWith(`v${version}.`)) throw new Error(`${bin} has Node ${name} instead of ${version}`)
  console.log(`\n=== Node ${name} ===`)
  const jest = ['--experimental-vm-modules', join(ROOT, 'node_modules/jest/bin/jest.js'), ...TESTS]
  const { status } = spawnSync(join(bin, 'node'), jest, { cwd: ROOT, env, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
  return `Node ${name}: ${status === 0 ? 'passed' : 'FAILED'}`
})
console.log(`\n${lines.join('\n')}`)
