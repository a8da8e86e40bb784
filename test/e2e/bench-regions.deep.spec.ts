import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtLibrary } from '../support/build-library.js'
import { PATIENCE, runBench } from './describe-bench.js'

it(
  'finds nothing stale in a quick run of a second region, and notices the defects that it rehearses',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'model-cache-bench-'))
    try {
      const args = ['regions', '--quick', '--skip-build', '--out', join(folder, 'regions.json')]
      const { code, stderr, stdout } = await runBench(folder, await builtLibrary(), args)
      expect(code === 0 ? '' : stdout + stderr).toBe('')
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  2 * PATIENCE,
)
