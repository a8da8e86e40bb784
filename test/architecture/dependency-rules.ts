import { packages, sourcesOfEntries } from '../../scripts/packages.js'
import { parseSourceFile, type SourceFile, type SourceImport } from './source-file.js'

/** The published entry points and their files, each a page of re-exports; there is no other barrel. */
export const ENTRY_POINTS = sourcesOfEntries()
/** Those for applications, and not for packages of the same version. */
export const PUBLIC_NAMES = Object.keys(ENTRY_POINTS).filter((name) => !name.endsWith('/internal'))

/** The only entrance of other folders to the protocol of reads and writes. */
const PROTOCOL = 'protocol/index.ts'
const BARRELS = [...Object.values(ENTRY_POINTS).map(inLibrary), PROTOCOL]

const PARTS = ['codec/', 'source/', PROTOCOL, 'cache/', 'definitions/', 'metrics/', 'warm/']

/** Where definition, codec, keys, store and source are put together, and the only places: a cache, and results of queries. */
const COMPOSITIONS = ['create-model-cache.ts', 'results/']

/** The errors, which all parts may import, and what these files import. */
const ERRORS: Record<string, string[]> = {
  'errors.ts': ['shown-value.ts'],
  'configuration-errors.ts': ['errors.ts', 'shown-value.ts'],
  'shown-value.ts': [],
}

/**
 * The arrows: what each part of a package may import besides itself and errors.ts, as paths below src/, of other packages than
 * model-cache with the folder of the package before it. The compiler knows which packages import which. A folder ends with a slash, and
 * does not include a part within it; a file is an interface that hides its folder.
 */
const ARROWS: Record<string, string[]> = {
  'codec/': [],
  'source/': [],
  'source/prisma/': ['source/'],
  'event-loop/': [],
  'event-loop/metrics/': ['event-loop/'],
  'event-loop/nest/': ['event-loop/', 'event-loop/metrics/'],
  // Implements the ports of source/ for the writes and reads of a client.
  'protocol/': [
    'protocol/format/',
    'protocol/backend/',
    'protocol/backend/valkey/',
    'source/database.ts',
    'source/query-results.ts',
    'source/read-caches.ts',
    'source/schema-facts.ts',
    'source/shared-tables.ts',
    'source/tables.ts',
    'source/write-coordinator.ts',
  ],
  'protocol/format/': ['protocol/backend/store.ts', 'source/plain-text.ts', 'source/uuid.ts'],
  'protocol/backend/': ['protocol/format/'],
  'protocol/backend/valkey/': ['protocol/backend/', 'protocol/format/'],
  'cache/': [
    'codec/codec.ts',
    PROTOCOL,
    'source/read-caches.ts',
    'source/source.ts',
    'source/plain-text.ts',
    'source/uuid.ts',
  ],
  'metrics/': ['cache/telemetry/observer.ts', 'warm/warm-counts.ts'],
  'warm/': [PROTOCOL, 'cache/'],
  'definitions/': ['codec/', 'source/', 'cache/policy/', PROTOCOL],
  ...Object.fromEntries(
    COMPOSITIONS.map((part) => [part, ['codec/', PROTOCOL, 'source/', 'cache/', 'definitions/']]),
  ),
  'registry/': [...PARTS, ...COMPOSITIONS],
  'nest/': [...PARTS, 'registry/'],
  'follow/': [],
  'follow/mysql/': ['follow/'],
  'follow/postgres/': ['follow/'],
  'inspector/': ['inspector/suggestions/'],
  'inspector/suggestions/': [],
  'terminus/': ['nest/model-cache.tokens.ts', PROTOCOL],
  'testing/': [...PARTS, ...COMPOSITIONS],
  'cli/': ['cli/doctor/'],
  'cli/doctor/': ['cli/doctor/mysql/', 'cli/doctor/postgres/'],
  'cli/doctor/mysql/': ['cli/doctor/'],
  'cli/doctor/postgres/': ['cli/doctor/'],
  'index.ts': [''],
  'prisma.ts': [''],
  'advanced.ts': [''],
  'internal.ts': [''],
  'arktype.ts': ['codec/row-types.ts', 'source/prisma/prisma-types.ts'],
}

/** What a part may import as a type only. */
const TYPE_ARROWS: Record<string, string[]> = {
  // The types that a definition is written in, the plan that ids are read from, and how results are written.
  'cache/': [
    'codec/exact-schema.ts',
    'codec/free-form.ts',
    'codec/record-forms.ts',
    'codec/reviver-schema.ts',
    'codec/row-schema.ts',
    'codec/stringifier.ts',
    'codec/wire-plan.ts',
  ],
  // The types of a generated client.
  'definitions/': ['source/prisma/lookup-types.ts', 'source/prisma/model-types.ts'],
}

/** What single files may import besides, because they wire the part into the application. */
const WIRING: Record<string, string[]> = {
  'event-loop/index.ts': ['event-loop/nest/'],
  'event-loop/internal.ts': ['event-loop/metrics/'],
  'follow/index.ts': ['follow/mysql/', 'follow/postgres/'],
  'follow/internal.ts': ['follow/mysql/', 'follow/postgres/'],
  'registry/cache-registry.ts': [
    'source/prisma/extended-clients.ts',
    'source/prisma/internals.ts',
    'source/prisma/internals.ts',
    'source/prisma/prisma-database.ts',
    'source/prisma/prisma-standby.ts',
    'source/prisma/reads/answer-reads.ts',
    'source/prisma/schema/describe-schema.ts',
    'source/prisma/shared-connection.ts',
  ],
  'registry/prisma-client.ts': [
    'source/prisma/extended-clients.ts',
    'source/prisma/prisma-source.ts',
    'source/prisma/reads/verify-hooks.ts',
    'source/prisma/reads/verify-reads.ts',
    'source/prisma/schema/describe-schema.ts',
    'source/prisma/verify-extension.ts',
    'source/prisma/verify-provider.ts',
  ],
  'nest/model-cache.source.ts': ['source/prisma/internals.ts', 'source/prisma/schema/describe-schema.ts'],
  'nest/inspected-root.ts': ['source/prisma/reads/'],
  'nest/model-cache.registry.ts': [
    'source/prisma/reads/client-queries.ts',
    'source/prisma/reads/query-coverage.ts',
    'source/prisma/schema/describe-schema.ts',
  ],
  'nest/start-report.ts': ['source/prisma/reads/query-coverage.ts', 'source/prisma/reads/read-options.ts'],
  'nest/provide-extended-prisma.ts': ['source/prisma/extend-prisma.ts'],
}

/** Packages that belong to some parts of the library, as values and as types. */
const PACKAGES: { name: string; in: string[] }[] = [
  // Before the others of Nest: an application that has not installed it must not load it.
  { name: '@nestjs/terminus', in: ['terminus/'] },
  { name: '@nestjs', in: ['nest/', 'terminus/', 'inspector/', 'event-loop/nest/'] },
  // cli/ reads Prisma's configuration.
  { name: '@prisma', in: ['source/prisma/', 'cli/'] },
  { name: 'ioredis', in: ['protocol/backend/valkey/'] },
  { name: 'mysql2', in: ['follow/mysql/', 'cli/doctor/mysql/'] },
  { name: 'pg', in: ['follow/postgres/', 'cli/doctor/postgres/'] },
  // Optional: the types of hand-written schemas, which an application imports apart.
  { name: 'arktype', in: ['codec/row-types.ts', 'source/prisma/prisma-types.ts'] },
  // Optional: loaded by stringifiers that are written by hand.
  { name: 'fast-json-stringify', in: ['codec/stringifier.ts'] },
  // Optional: loaded for the default of an option.
  { name: 'prom-client', in: ['event-loop/metrics/registry.ts'] },
  {
    name: '@model-cache/event-loop',
    in: [
      'cache/',
      'follow/',
      'metrics/',
      'protocol/',
      'registry/',
      'nest/',
      'inspector/',
      'terminus/',
      ...COMPOSITIONS,
      'index.ts',
      'advanced.ts',
    ],
  },
]

/**
 * Everything that loading an entry point loads with it: files of our packages, and the packages of others that these import.
 *
 * @param withTypes adds what is imported for its types, which are gone at run time: its declarations may need it. @default false
 */
export function loadedBy(
  entry: string,
  texts: Record<string, string>,
  withTypes = false,
): { files: string[]; packages: string[] } {
  const files = new Set<string>()
  const others = new Set<string>()
  const visit = (path: string): void => {
    if (files.has(path)) return
    files.add(path)
    for (const { specifier, target, typeOnly } of parseSourceFile(path, texts[path] ?? '').imports) {
      if (typeOnly && !withTypes) continue
      const own = target ?? ENTRY_POINTS[specifier]
      if (own) visit(own)
      else others.add(specifier)
    }
  }
  visit(ENTRY_POINTS[entry]!)
  return { files: [...files].map(inLibrary).toSorted(), packages: [...others].toSorted() }
}

/** What to do about violations. */
export const remedy =
  'Take what you need as a parameter, of a type that the part may import, and pass it where the parts are put together: ' +
  'create-model-cache.ts, registry/ or nest/. If the design itself changes, change ARROWS or PACKAGES in ' +
  'test/architecture/dependency-rules.ts, and "Who may import whom" in ARCHITECTURE.md.'

/** Every violation of the dependency rules of ARCHITECTURE.md in a set of files, each a sentence that names file and import. */
export function violationsOf(texts: Record<string, string>): string[] {
  const files = Object.entries(texts).map(([path, text]) => parseSourceFile(path, text))
  const library = files.filter(({ path }) => sourceOf(path) !== undefined)
  const shipped = library.filter(({ path }) => !path.endsWith('.spec.ts'))
  const outside = files.filter((file) => !library.includes(file))
  return [
    ...shipped.flatMap(shapeViolations),
    ...shipped.flatMap((file) => file.imports.flatMap((entry) => arrowViolations(file, entry))),
    ...shipped.flatMap((file) => file.imports.flatMap((entry) => packageViolations(file, entry))),
    ...library.flatMap((file) => file.imports.flatMap((entry) => escapeViolations(file, entry))),
    ...outside.flatMap((file) => file.imports.flatMap((entry) => entranceViolations(file, entry))),
    ...outside.flatMap((file) => file.imports.flatMap((entry) => benchViolations(file, entry))),
    ...cyclesIn(files).map(
      (cycle) => `${cycle.join(' -> ')}: a cycle; move what two of them share to a file of its own`,
    ),
  ]
}

function shapeViolations({ path, isBarrel }: SourceFile): string[] {
  const found: string[] = []
  const isEntryPoint = BARRELS.includes(inLibrary(path))
  if ((isBarrel || path.endsWith('/index.ts')) && !isEntryPoint) {
    found.push(`${path}: a barrel; only ${BARRELS.join(', ')} collect exports, others name the file`)
  }
  return found
}

function arrowViolations({ path }: SourceFile, { specifier, target, typeOnly }: SourceImport): string[] {
  const from = inLibrary(path)
  const to = target && inLibrary(target)
  const ofErrors = ERRORS[from]
  if (ofErrors) {
    if (ofErrors.some((file) => to === file)) return []
    return [`${path}: imports ${specifier}; ${from} may import ${ofErrors.join(', ') || 'nothing'}`]
  }
  const part = partOf(from)
  const arrows = ARROWS[part]
  if (!arrows) return [`${path}: ${part} is not a part of the library that the rules know; name it in ARROWS`]
  if (to === undefined || sourceOf(target!) === undefined) return []
  const reaches = (arrow: string) => to === arrow || (to.startsWith(folder(arrow)) && isOpen(arrow, to))
  if (['errors.ts', 'configuration-errors.ts', part, ...arrows, ...(WIRING[from] ?? [])].some(reaches))
    return []
  const types = TYPE_ARROWS[part] ?? []
  if (typeOnly && types.some(reaches)) return []
  const exception = types.length > 0 ? `, and the types of ${types.join(', ')}` : ''
  return [`${path}: imports ${to}; ${part} may import ${['errors.ts', ...arrows].join(', ')}${exception}`]
}

function packageViolations({ path }: SourceFile, { specifier }: SourceImport): string[] {
  const owned = PACKAGES.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (!owned || owned.in.some((part) => inLibrary(path).startsWith(part))) return []
  return [`${path}: imports ${specifier}; ${owned.name} belongs in ${owned.in.join(' and ')}`]
}

/** Every name that files of one package export for different things, with the files. */
export function namesTwice(texts: Record<string, string>): string[] {
  const filesOf = new Map<string, string[]>()
  for (const [path, text] of Object.entries(texts)) {
    const source = sourceOf(path)
    if (source === undefined || path.endsWith('.spec.ts')) continue
    for (const name of parseSourceFile(path, text).exports) {
      const key = source + name
      filesOf.set(key, [...(filesOf.get(key) ?? []), path])
    }
  }
  return [...filesOf]
    .filter(([, paths]) => paths.length > 1)
    .map(
      ([key, paths]) =>
        `${key.slice(sourceOf(key)!.length)}: ${paths.map(inLibrary).join(', ')} export it; rename all but one, or export none`,
    )
}

/** What leaves a package. The compiler refuses it in all but specs. */
function escapeViolations({ path }: SourceFile, { specifier, target }: SourceImport): string[] {
  if (!path.endsWith('.spec.ts') || !target || target.startsWith(sourceOf(path)!)) return []
  if (!/^(apps|prisma|libs)\//.test(target)) return []
  return [`${path}: imports ${specifier}, which is outside the package`]
}

/** The programs that torture the library: they enter as applications do. */
const TORTURE = 'test/torture/'

/** What `npx model-cache` runs. Tests of it need no process for each call. */
const COMMANDS = /^libs\/cli\/src\/([a-z-]+-command|run-command-line)\.ts$/

function entranceViolations({ path }: SourceFile, { specifier, target, typeOnly }: SourceImport): string[] {
  // What stands in for a part of the library in its specs has the types of that part.
  if (path.startsWith('test/support/') && typeOnly) return []
  const mayCall = path.startsWith('test/') && !path.startsWith(TORTURE)
  const isCommand = mayCall && COMMANDS.test(target ?? '')
  const throughTheWall = !isCommand && (target?.startsWith('libs/') ?? false)
  const unknownDoor = /^@?model-cache\//.test(specifier) && !PUBLIC_NAMES.includes(specifier)
  if (!throughTheWall && !unknownDoor) return []
  return [`${path}: imports ${specifier}; the library is entered through ${PUBLIC_NAMES.join(', ')}`]
}

/** Where torture takes what it shares with the bench. */
const BENCH_ENTRANCE = `${TORTURE}bench/`

function benchViolations({ path }: SourceFile, { specifier, target }: SourceImport): string[] {
  if (!path.startsWith(TORTURE) || path.startsWith(BENCH_ENTRANCE)) return []
  if (!target?.startsWith('apps/bench/')) return []
  return [`${path}: imports ${specifier}; torture enters the bench through ${BENCH_ENTRANCE}`]
}

/** One cycle for each import that closes one, as the paths along it. */
function cyclesIn(files: SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const found: string[][] = []
  const walk = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].map(inLibrary))
      return
    }
    if (done.has(path)) return
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target && byPath.has(target)) walk(target, [...trail, path])
    }
    done.add(path)
  }
  for (const { path } of files) walk(path, [])
  return found
}

/** `libs/event-loop/src/`; undefined for files of no package. */
function sourceOf(path: string): string | undefined {
  return packages.map(({ folder }) => `${folder}/src/`).find((source) => path.startsWith(source))
}

/** `codec/codec.ts` for a file of model-cache, `event-loop/slicer.ts` for one of another package. */
function inLibrary(path: string): string {
  return path.replace(/^libs\/(?:model-cache|([^/]+))\/src\//, (_, folder?: string) =>
    folder ? `${folder}/` : '',
  )
}

/** `codec/` for `codec/codec.ts`, `source/prisma/` for what is in there; a file directly below src/ is a part of its own. */
function partOf(path: string): string {
  const within = Object.keys(ARROWS).filter((part) => part.endsWith('/') && path.startsWith(part))
  const [innermost] = within.toSorted((a, b) => b.length - a.length)
  return innermost ?? (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : path)
}

/** Whether an arrow to a folder includes the file: a part within the folder needs an arrow of its own. */
function isOpen(arrow: string, to: string): boolean {
  return arrow === '' || folder(arrow).startsWith(partOf(to))
}

/** A prefix that only a folder has; a file's name is compared whole. */
function folder(arrow: string): string {
  return arrow === '' || arrow.endsWith('/') ? arrow : `${arrow}/`
}
