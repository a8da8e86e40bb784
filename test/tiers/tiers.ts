/** Which specs `npm test`, `npm run test:all` and `npm run test:deep` run. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sourcesOfEntries } from '../../scripts/packages.ts'

const rootDir = join(import.meta.dirname, '../..')

/** What `npm test` runs, of what needs no server, and of what needs a Valkey and a PostgreSQL. */
export const core = {
  unit: ['libs', 'apps/auction', 'prisma', 'test/architecture', 'test/docs'],
  servers: [
    'consistency',
    'differential',
    'lookups',
    'random-schemas',
    'reads',
    'reads-through-prisma',
    'results',
    'store',
    'writes',
  ].map((folder) => `test/integration/${folder}`),
}

/** What only operators use has its unit specs beside those of its servers. */
const tools = ['libs/cli', 'libs/follow', 'libs/inspector']

/** Specs of these folders that run on several databases: on PostgreSQL with `npm test`, on the others with `npm run test:all`. */
export const ofSeveralDatabases = [
  'differential/differential',
  'differential/reads/columns',
  'differential/reads/reads',
  'differential/storm',
  'random-schemas/random-schemas',
  'writes/conflicts-of-sqlite',
  'writes/diverted-rows',
  'writes/keys-of-triggers',
  'writes/more-than-arguments',
  'writes/own-questions',
  'writes/raw-attacks',
  'writes/raw-sql',
].map((name) => `test/integration/${name}.spec.ts`)

/** Folders of test/ whose specs need no server. */
const withoutServers = 'architecture|docs|explorer|package(?!/(adoption|stacks))|torture|types|wire'

/** Specs of others: of packages, and of the applications that specs install. */
const ignored = ['/node_modules/', '<rootDir>/test/package/stacks/[^/]+/']

/** Every *.spec.ts, compiled by SWC as ES modules. */
const project = {
  rootDir,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/prisma', '<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/environment.mts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    ...Object.fromEntries(
      Object.entries(sourcesOfEntries()).map(([entry, file]) => [`^${entry}$`, `<rootDir>/${file}`]),
    ),
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

const unit = { ...project, displayName: 'unit' }
/** Jest starts the servers only when a spec of such a project runs. */
const servers = {
  ...project,
  displayName: 'servers',
  globalSetup: '<rootDir>/test/support/global-setup.mts',
  globalTeardown: '<rootDir>/test/support/global-teardown.mts',
}

const jest = {
  rootDir,
  watchman: false,
  // More than processors: many specs wait for servers and timers most of the time. Each takes up to a gigabyte.
  maxWorkers: availableParallelism() + 2,
  // Of all projects: in one of them it would not be heard. Long enough for a machine that is busy with other things.
  testTimeout: 120_000,
  // Tests that are concurrent are checked together by the compiler of types.
  maxConcurrency: 200,
  // Node keeps the modules of every suite that a process has run. Beyond this, collecting garbage costs more than a new process.
  workerIdleMemoryLimit: '700MB',
  // A process beyond that limit after its last suite is replaced as well. The new one is asked to exit before it has started.
  workerGracefulExitTimeout: 30_000,
  testSequencer: join(rootDir, 'test/support/folder-suites.mjs'),
}

const specsIn = (folders: readonly string[], specs: string): string[] =>
  folders.map((folder) => `<rootDir>/${folder}/**/${specs}.spec.ts`)
const within = (folders: readonly string[]): string[] => folders.map((folder) => `<rootDir>/${folder}/`)

/** Both kinds of specs with these names, but for those in some folders. */
const projects = (specs: string, others: readonly string[] = []): object[] => [
  {
    ...unit,
    testMatch: [`**/${specs}.spec.ts`],
    testPathIgnorePatterns: [...ignored, `<rootDir>/test/(?!(${withoutServers})/)`, ...others],
  },
  {
    ...servers,
    testMatch: [`<rootDir>/test/**/${specs}.spec.ts`],
    testPathIgnorePatterns: [...ignored, `<rootDir>/test/(${withoutServers})/`, ...others],
  },
]

const shallow = '!(*.deep)'

/** Every spec of a change. */
export const allTests = { ...jest, projects: projects(shallow) }

/** What every contributor runs, in three minutes. */
export const coreTests = {
  ...jest,
  projects: [
    {
      ...unit,
      testMatch: specsIn(core.unit, shallow),
      testPathIgnorePatterns: [...ignored, ...within(tools)],
    },
    { ...servers, testMatch: specsIn(core.servers, shallow), testPathIgnorePatterns: ignored },
  ],
}

/** The specs of a change that are not among them. */
export const furtherTests = {
  ...jest,
  projects: [
    ...projects(shallow, within([...core.unit, ...core.servers])),
    {
      ...unit,
      displayName: 'tools',
      testMatch: specsIn(tools, shallow),
      testPathIgnorePatterns: ignored,
    },
    {
      ...servers,
      displayName: 'databases',
      testMatch: ofSeveralDatabases.map((path) => `<rootDir>/${path}`),
    },
  ],
}

/** What takes too long for each change. */
export const deepTests = { ...jest, testTimeout: 1_800_000, projects: projects('*.deep') }
