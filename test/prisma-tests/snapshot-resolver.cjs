/** Prisma's snapshots have the header of an older Jest, for which this one refuses them. So it reads copies. */
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { basename, dirname, join, relative } = require('node:path')

const TESTS = process.env.PRISMA_TESTS
const COPIES = join(__dirname, '../../node_modules/.cache/model-cache/prisma-test-snapshots')
const HEADER = '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n'

module.exports = {
  resolveSnapshotPath(testPath, extension) {
    const original = join(dirname(testPath), '__snapshots__', `${basename(testPath)}${extension}`)
    const copy = join(COPIES, `${relative(TESTS, testPath)}${extension}`)
    if (existsSync(original)) {
      mkdirSync(dirname(copy), { recursive: true })
      writeFileSync(copy, readFileSync(original, 'utf8').replace(/^.*\n/, HEADER))
    }
    return copy
  },
  resolveTestPath: (path, extension) => join(TESTS, relative(COPIES, path.slice(0, -extension.length))),
  testPathForConsistencyCheck: join(TESTS, 'folder/tests.ts'),
}
