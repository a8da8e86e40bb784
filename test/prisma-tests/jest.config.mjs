/** Prisma's functional tests, in the checkout that PRISMA_TESTS names, with the suites and stand-ins of this folder. `scripts/test-prisma.ts` runs it. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const { resolve } = createRequire(import.meta.url)
const own = (name) => join(import.meta.dirname, name)

export default {
  rootDir: process.env.PRISMA_TESTS,
  watchman: false,
  testMatch: ['<rootDir>/**/*.ts'],
  // The path of the checkout itself may have a folder `prisma`.
  testPathIgnorePatterns: [
    '<rootDir>/(?:.*/)?_utils/',
    '<rootDir>/.*/prisma/',
    String.raw`<rootDir>/(?:.*/)?_[^/]+\.ts$`,
    String.raw`\.d\.ts$`,
  ],
  testEnvironment: resolve('jest-environment-node'),
  transform: {
    [String.raw`\.(js|ts)$`]: [
      resolve('@swc/jest'),
      {
        swcrc: false,
        module: { type: 'commonjs' },
        jsc: { target: 'es2023', parser: { syntax: 'typescript' }, keepClassNames: true },
      },
    ],
  },
  // Of generated clients, those in TypeScript are compiled.
  transformIgnorePatterns: [String.raw`/node_modules/.*\.js$`, '/libs/[^/]+/dist/'],
  modulePaths: [join(ROOT, 'node_modules')],
  moduleNameMapper: {
    '^model-cache$': join(ROOT, 'libs/model-cache/dist/cjs/index.js'),
    '^model-cache/(advanced)$': join(ROOT, 'libs/model-cache/dist/cjs/$1.js'),
    '/setupTestSuiteMatrix$': own('suite.ts'),
    '^@(faker-js/faker|snaplet/copycat)$': own('stand-ins/random-values.ts'),
    [String.raw`^(?:\.\./)+extension$`]: resolve('@prisma/client/extension'),
    '^@prisma/internals$': own('stand-ins/internals.ts'),
    [String.raw`^(\.{1,2}/.*)\.js$`]: ['$1.js', '$1.ts'],
  },
  snapshotResolver: own('snapshot-resolver.cjs'),
  setupFilesAfterEnv: [own('globals.ts')],
  testTimeout: 30_000,
  workerIdleMemoryLimit: '900MB',
}
