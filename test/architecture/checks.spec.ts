import { join } from 'node:path'
import { execute } from '../package/execute.js'

const ROOT = join(import.meta.dirname, '../..')

it('the sources of the packages compile, each with those that it declares', () =>
  execute('tsc', ['--build', 'libs'], ROOT))

it('oxlint has no finding', () => execute('oxlint', ['--deny-warnings'], ROOT))
