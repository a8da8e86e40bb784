import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packedPackages } from '../packed-packages.js'
import { compile, installBound, runExample } from './bounds.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-cache-floor-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** `npm run test:stacks` also checks its types, and does the same with the highest versions. */
it('the packed library runs with the lowest versions of all its peers', async () => {
  const app = await installBound('floor', await packedPackages(), join(folder, 'app'))
  expect(app.versions).toMatchObject({
    '@nestjs/core': '11.0.0',
    '@prisma/client': '6.19.0',
    ioredis: '5.11.0',
  })
  await compile(app)
  await runExample(app, process.execPath)
  // npm may have to fetch everything.
}, 600_000)
