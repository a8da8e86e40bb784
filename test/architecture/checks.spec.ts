import { join } from 'node:path'
import { execute } from '../package/execute.js'

const ROOT = join(import.meta.dirname, '../..')

it(
  'the sources of the packages compile, each with those that it declares',
  () => execute('tsc', ['--build', 'libs'], ROOT),
  // Without what an earlier run has left, beside other suites.
  600_000,
)

it('oxlint has no finding', () => execute('oxlint', ['--deny-warnings'], ROOT))
