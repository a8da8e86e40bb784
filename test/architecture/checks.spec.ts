import { join } from 'node:path'
import { execute } from '../package/execute.js'

const ROOT = join(import.meta.dirname, '../..')

it('the sources of the library compile', async () => {
  const cached = 'node_modules/.cache/model-cache/library.tsbuildinfo'
  const options = ['--noEmit', '--incremental', '--tsBuildInfoFile', cached]
  await execute('tsc', ['--project', 'libs/model-cache/tsconfig.lib.json', ...options], ROOT)
})

it('oxlint has no finding', () => execute('oxlint', ['--deny-warnings'], ROOT))
