import { availableParallelism } from 'node:os'

/** Specs that need no server: everything beside the code, and these folders of test/. */
const unitFolders = 'architecture|docs|explorer|package(?!/(adoption|stacks))|torture|types|wire'

/** Specs of others: of packages, and of the applications that specs install. */
const ignored = ['/node_modules/', '<rootDir>/test/package/stacks/[^/]+/']

/** Every *.spec.ts, compiled by SWC as ES modules; those of `npm run test:deep` are in jest.deep.config.js. */
const project = {
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/prisma', '<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/environment.mts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    '^model-cache$': '<rootDir>/libs/model-cache/src/index.ts',
    '^model-cache/(advanced|arktype|event-loop)$': '<rootDir>/libs/model-cache/src/$1.ts',
    '^model-cache/(codec|follow|inspector|testing|terminus)$': '<rootDir>/libs/model-cache/src/$1/index.ts',
    '^#prisma/(.*)\\.js$': '<rootDir>/prisma/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/dist',
    '<rootDir>/libs/[^/]+/dist',
    '<rootDir>/libs/[^/]+/package.json',
    '<rootDir>/test/package/stacks/[^/]+/',
  ],
}

export default {
  watchman: false,
  // More than processors: many specs wait for servers and timers most of the time. Each takes up to a gigabyte.
  maxWorkers: availableParallelism() + 2,
  // Of all projects: in one of them it would not be heard. Long enough for a machine that is busy with other things.
  testTimeout: 120_000,
  // Tests that are concurrent are checked together by the compiler of types.
  maxConcurrency: 200,
  // Node keeps the modules of every suite that a process has run. Beyond this, collecting garbage costs more than a new process.
  workerIdleMemoryLimit: '700MB',
  // A process beyond that limit after its last suite is replaced as well. The new one is told to exit before it has started.
  workerGracefulExitTimeout: 30_000,
  testSequencer: './test/support/folder-suites.mjs',
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: ['**/!(*.deep).spec.ts'],
      testPathIgnorePatterns: [...ignored, `<rootDir>/test/(?!(${unitFolders})/)`],
    },
    {
      ...project,
      displayName: 'servers',
      testMatch: ['<rootDir>/test/**/!(*.deep).spec.ts'],
      testPathIgnorePatterns: [...ignored, `<rootDir>/test/(${unitFolders})/`],
      // Jest runs these only when a spec of this project runs, so unit specs alone start no server.
      globalSetup: '<rootDir>/test/support/global-setup.mts',
      globalTeardown: '<rootDir>/test/support/global-teardown.mts',
    },
  ],
}
