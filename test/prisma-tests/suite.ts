/** Takes the place of Prisma's `setupTestSuiteMatrix`: one suite for each combination of a matrix that the tested database has. */
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { TestDatabase } from '../support/test-database.ts'
import { createTestDatabase, drivers } from './databases.ts'
import { generateClient } from './generated-client.ts'
import { clientsIn, type Mode, type ModeClients, type PrismaModule } from './modes.ts'

type Config = Readonly<Record<string, unknown>> & {
  readonly provider: string
  readonly driverAdapter?: string
  readonly relationMode?: string
  readonly generatorType?: string
}

interface Options {
  readonly skip?: (
    when: (condition: boolean | (() => boolean), reason: string) => void,
    config: Config,
  ) => void
  readonly skipDriverAdapter?: { readonly from: readonly string[] }
  readonly skipDefaultClientInstance?: boolean
  readonly skipDb?: boolean
  readonly alterStatementCallback?: (provider: string) => string
}

interface Matrix {
  matrix(): readonly (readonly Config[])[]
  readonly matrixOptions?: { exclude?(config: Config): boolean }
}

type Tests = (config: Config, suite: object, client: object, cli: object, database: object) => void

const provider = process.env.PRISMA_TESTS_DATABASE as keyof typeof drivers
const driverAdapter = drivers[provider]
const cli = { dataProxy: false, runtime: 'client', previewFeatures: [], clientEngineExecutor: 'local' }

export function setupTestSuiteMatrix(tests: Tests, options: Options = {}): void {
  const suite = suiteOf(expect.getState().testPath!)
  const { _matrixPath: matrixPath } = suite
  const { default: defined } = require(matrixPath) as { default: Matrix | Matrix['matrix'] }
  const { matrix, matrixOptions } = typeof defined === 'function' ? { matrix: defined } : defined
  const combined = combinationsOf(matrix()).filter(({ config }) => {
    return config.provider === provider && !matrixOptions?.exclude?.(config)
  })
  const included = combined.filter(({ config }) => !isSkipped(config, options))
  // Some files repeat tests that fail. Here these are mostly known differences, and each repetition waits for events that do not come.
  if (process.env.PRISMA_TESTS_MODE !== 'plain') Reflect.deleteProperty(globalThis, Symbol.for('RETRY_TIMES'))
  // Jest wants a test in each file.
  if (included.length === 0) it.todo(`has nothing to test on ${provider}`)
  for (const { config, name } of included) {
    describe(`${suite.testName} (${name})`, () => runSuite(suite, config, tests, options))
  }
}

type Suite = ReturnType<typeof suiteOf>

/** Where the parts of a suite are, of which tests read some. */
function suiteOf(testPath: string) {
  const root = process.env.PRISMA_TESTS!
  // Tests of one folder may be spread over several files.
  let testRoot = dirname(testPath)
  while (!existsSync(join(testRoot, '_matrix.ts'))) testRoot = dirname(testRoot)
  const name = relative(root, testPath).replace(/(\/tests)?\.ts$/, '')
  const prismaPath = join(testRoot, 'prisma')
  return {
    testName: name.replaceAll('/', '.'),
    testPath,
    testRoot,
    testFileName: relative(dirname(testPath), testPath),
    rootRelativeTestPath: relative(testRoot, testPath),
    rootRelativeTestDir: relative(testRoot, dirname(testPath)) || '.',
    prismaPath,
    sqlPath: join(prismaPath, 'sql'),
    generatedFolder: join(testRoot, '.generated'),
    _matrixPath: join(testRoot, '_matrix.ts'),
    _schemaPath: join(prismaPath, '_schema.ts'),
  }
}

/** Every combination of one entry of each dimension. Its name has the first property of each, as snapshots are named. */
function combinationsOf(dimensions: readonly (readonly Config[])[]): { config: Config; name: string }[] {
  let combined: Config[][] = [[]]
  for (const dimension of dimensions) {
    if (dimension.length > 0) combined = combined.flatMap((one) => dimension.map((entry) => [...one, entry]))
  }
  return combined.map((entries) => ({
    config: { ...Object.assign({}, ...entries), ...cliConfig(entries) } as Config,
    name: [...entries.map(nameOf), driverAdapter].join(', '),
  }))
}

function cliConfig(entries: readonly Config[]): object {
  const given = Object.assign({}, ...entries) as Config
  return {
    // Tests of relation modes expect the errors that are listed for a database, and list none for most adapters.
    driverAdapter: given.relationMode === undefined ? driverAdapter : undefined,
    clientRuntime: given.clientRuntime ?? 'client',
    clientEngineExecutor: 'local',
    previewFeatures: given.previewFeatures ?? [],
  }
}

function nameOf(entry: Config): string {
  if (entry.relationMode !== undefined) {
    const { id, onDelete, onUpdate, provider, relationMode } = entry
    return `relationMode=${relationMode},provider=${provider},onUpdate=${onUpdate},onDelete=${onDelete},id=${id}`
  }
  const [first] = Object.keys(entry)
  return `${first}=${String(entry[first!])}`
}

function isSkipped(config: Config, { skip, skipDriverAdapter }: Options): boolean {
  let skipped = config.clientRuntime !== 'client' || Boolean(skipDriverAdapter?.from.includes(driverAdapter))
  skip?.((condition) => (skipped ||= typeof condition === 'boolean' ? condition : condition()), config)
  return skipped
}

function runSuite(suite: Suite, config: Config, tests: Tests, options: Options): void {
  const variables = { url: `DATABASE_URI_${provider}`, direct: `DIRECT_DATABASE_URI_${provider}` }
  const datasource = { envVarName: variables.url, directEnvVarName: variables.direct, databaseUrl: '' }
  const environment = { ...process.env }
  let database: TestDatabase | undefined
  let clients: ModeClients | undefined

  beforeAll(async () => {
    const generated = await generateClient(schemaOf(suite, config))
    const setUp = async (): Promise<void> => {
      database = await createTestDatabase(provider)
      await database.run(generated.tables)
      const altered = options.alterStatementCallback?.(provider)
      if (altered) await database.run(altered)
      datasource.databaseUrl = database.url
      process.env[variables.url] = process.env[variables.direct] = database.url
    }
    if (!options.skipDb) await setUp()
    const module = require(generated.client) as PrismaModule
    clients = clientsIn(process.env.PRISMA_TESTS_MODE as Mode, module)
    const newPrismaClient = (given: object = {}): object =>
      clients!.create({ adapter: database?.adapter(), ...given })
    Object.assign(globalThis, {
      datasourceInfo: datasource,
      loaded: module,
      newPrismaClient,
      Prisma: module.Prisma,
    })
    // Tests without one assign theirs to the name, which has to exist.
    const prisma = options.skipDefaultClientInstance ? undefined : newPrismaClient()
    Object.assign(globalThis, { prisma })
    Object.assign(globalThis, { db: { setupDb: setUp, dropDb: () => database?.drop() } })
  }, 120_000)

  // Before the tests' own, which may delete rows.
  beforeEach(() => clients?.begin())

  tests(config, suite, { ...cli, driverAdapter: true }, cli, datasource)

  afterEach(async () => {
    const differences = (await clients?.end()) ?? []
    if (differences.length > 0) throw new Error(differences.join('\n\n'))
  })

  afterAll(async () => {
    await clients?.close()
    await database?.drop().catch(() => {})
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
    Object.assign(process.env, environment)
    for (const name of ['prisma', 'Prisma', 'loaded', 'newPrismaClient', 'db'])
      Reflect.deleteProperty(globalThis, name)
  }, 120_000)
}

function schemaOf({ _schemaPath: schemaPath }: Suite, config: Config): string {
  const { default: make } = require(schemaPath) as { default: (config: Config) => string }
  const { generatorType = 'prisma-client-js', relationMode } = config
  const generator = `provider = "${generatorType.replace(/-ts$/, '')}"\noutput = "./client"`
  const schema = make(config)
    .replaceAll(/^\s*output\s*=.*$/gm, '')
    .replace(/provider\s*=\s*"prisma-client(-(j|t)s)?"/, generator)
  if (!relationMode || /relationMode\s*=/.test(schema)) return schema
  return schema.replace(
    /(provider\s*=\s*"(?:sqlite|postgresql|mysql)")/,
    `$1\nrelationMode = "${relationMode}"`,
  )
}
