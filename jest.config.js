/** Every *.spec.ts, compiled by SWC as ES modules, against the real servers that the global set-up starts. */
export default {
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    '^model-cache$': '<rootDir>/libs/model-cache/src/index.ts',
    '^model-cache/(codec|testing)$': '<rootDir>/libs/model-cache/src/$1/index.ts',
    '^#prisma/(.*)\\.js$': '<rootDir>/prisma/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/libs/[^/]+/dist', '<rootDir>/libs/[^/]+/package.json'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 30_000,
  watchman: false,
}
