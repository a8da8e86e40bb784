/** The text of docs/options.md, made of the doc comments of the option interfaces. */
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import ts from 'typescript'
import { linesOf } from './lines-of.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'libs/model-cache/src')
const LINE_LENGTH = 118

export const OPTIONS_PAGE = join(ROOT, 'docs/options.md')

interface Section {
  readonly title: string
  readonly text: string
  /** The file of the interface. */
  readonly in: string
  /** An interface, or a class with the static method whose first parameter holds the options. */
  readonly of: string
  readonly method?: string
  /** The sections that list some of its options. */
  readonly without?: readonly Pick<Section, 'in' | 'of'>[]
  /** Its options that this section lists. @default those that are not advanced */
  readonly only?: readonly string[]
  /** Paths of options whose own options are listed after them. */
  readonly nested?: readonly string[]
  /** How to write types that are no help by their names, by option. */
  readonly types?: Readonly<Record<string, string>>
}

interface Option {
  readonly path: string
  readonly isRequired: boolean
  readonly types: readonly string[]
  readonly texts: readonly string[]
  readonly standard: string | undefined
}

const HEAD = `<!-- Generated from doc comments by npm run docs:options; edit those instead. -->

# Options

Every option with its type and default. You need [three of them](getting-started.md#the-three-options-you-need): \`ttl\`, \`prisma\` and \`valkey.url\`.

Durations such as \`ttl\` have a unit: \`'500ms'\`, \`'30s'\`, \`'10m'\`, \`'2h'\`, \`'1d'\`. A number is milliseconds, and refused below 1,000: \`ttl: 10\` means seconds or minutes to whoever writes it. With an invalid value the application does not start; the error names the option, what was expected, and what to do.`

/** Options that hardly anybody has to set: by the interface that has them. */
const ADVANCED: Readonly<Record<string, readonly string[]>> = {
  CacheOptions: ['format', 'largePayloadBytes', 'version'],
  ModelCacheOptions: ['reviver', 'stringifier'],
  ModelCacheModule: ['memory', 'memory.maxEntries', 'buckets'],
}

const cacheOptions = { in: 'cache/policy/definition.ts', of: 'CacheOptions' }
const byHand = { in: 'cache/policy/definition.ts', of: 'ModelCacheOptions' }
const derived = { in: 'definitions/model-caches.ts', of: 'DerivedCacheOptions' }
const listOptions = { in: 'cache/policy/lookup-options.ts', of: 'ListOptions' }
const moduleOptions = { in: 'nest/model-cache.module.ts', of: 'ModelCacheModule', method: 'forRoot' }

const SECTIONS: readonly Section[] = [
  {
    title: 'Options of a cache',
    text: 'The second argument of `defineModelCache(model, options)`, and part of that of `defineModelCache<Row>()(options)`. Further sections list the options that say what a row is, and [what hardly anybody has to set](#advanced-options-of-a-cache).',
    ...cacheOptions,
    nested: ['l1', 'compress'],
    types: { 'compress.above': 'number | string' },
  },
  {
    title: 'Rows derived from the Prisma schema',
    text: 'Further options of `defineModelCache(model, options)`. The compiler checks them against the types of the generated client.',
    ...derived,
    without: [cacheOptions],
    types: {
      select: 'Prisma.UserSelect',
      include: 'Prisma.UserInclude',
      omit: 'Prisma.UserOmit',
      refine: '{ [field]: Type }',
      schema: 'Type',
      id: 'string',
      unique: '{ [name]: field | fields | { by, fold?, caseSensitive? } }',
      lists: '{ [name]: { by, … } }',
    },
  },
  {
    title: 'Options of a list',
    text: 'What each list in `lists` is. A unique key in `unique` is a field or an array of fields, or an object with `by`, `fold` and `caseSensitive`.',
    ...listOptions,
    types: {
      by: 'field | fields',
      where: '{ [field]: value | null | { not: null } | { in: values } }',
      orderBy: "{ [field]: 'asc' | 'desc' | { sort, nulls? } } | (…)[]",
    },
  },
  {
    title: 'Options of a list by a relation',
    text: 'A list has a relation instead of `by` if its rows are those that an implicit many-to-many relation connects with one row.',
    in: 'cache/policy/lookup-options.ts',
    of: 'RelatedListOptions',
    without: [listOptions],
    types: { through: 'relation field' },
  },
  {
    title: 'Rows described by hand',
    text: 'The argument of `defineModelCache<Row>()(options)`, for rows that are not those of a Prisma model: [the options of all caches](#options-of-a-cache), `schema` and `id`, which are required, and these. Without a `load`, rows come from the Prisma model, and `select`, `include`, `unique` and `lists` are those above.',
    ...byHand,
    without: [cacheOptions, derived],
  },
  {
    title: 'Options of the module',
    text: 'The argument of `ModelCacheModule.forRoot`. With `forRootAsync`, `name` stands beside the factory and all others are what it returns.',
    ...moduleOptions,
    types: {
      'atRest.keys':
        'readonly { id: string; key: Uint8Array | string }[] | () => such a list, or its promise',
    },
    nested: [
      'valkey',
      'memory',
      'consistency',
      'atRest',
      'warm',
      'warm.from',
      'audit',
      'eventLoop',
      'eventLoop.shedding',
    ],
  },
  {
    title: 'Options of an extended client',
    text: 'The last argument of `provideExtendedPrisma`. `extendPrisma` takes them as well, except `root`.',
    in: 'nest/provide-extended-prisma.ts',
    of: 'ExtendedPrismaOptions',
    types: {
      reads:
        "readonly definition[] | 'all' | 'shadow' | { caches?, shadow?, hooks?, compose?, findFirst?, longLists?, results? }",
    },
  },
  {
    title: 'Options of the inspector',
    text: 'The argument of `ModelCacheInspectorModule.forRoot` of `@model-cache/inspector`. With `forRootAsync`, `path`, `guards` and `imports` stand beside the factory.',
    in: '../../inspector/src/inspector.module.ts',
    of: 'ModelCacheInspectorModule',
    method: 'forRoot',
    types: {
      user: '(request) => string | undefined | Promise<string | undefined>',
      show: "field names, or { [cache]: field names | '*' }",
      actions: "('invalidate' | 'invalidateAll')[], or { [cache]: such a list }",
    },
  },
  {
    title: 'Advanced options of a cache',
    text: 'The defaults are right for nearly everyone. Another `format` is for programs that read the rows without this library, `version` for a `load` that returns other rows than before.',
    ...cacheOptions,
    only: ADVANCED.CacheOptions!,
  },
  {
    title: 'Advanced options of rows described by hand',
    text: 'For an application that has to keep its own functions. The derived ones are faster, and fit the schema.',
    ...byHand,
    only: ADVANCED.ModelCacheOptions!,
  },
  {
    title: 'Advanced options of the module',
    text: 'Buckets are for clusters of a dozen primaries and more; the store in memory is for development and tests.',
    ...moduleOptions,
    nested: ['memory'],
    only: ADVANCED.ModelCacheModule!,
  },
]

/** @throws Error when an option has no doc comment, or an interface is gone */
export async function optionsPage(): Promise<string> {
  const program = createProgram()
  const checker = program.getTypeChecker()
  const sections = SECTIONS.map((section) => {
    const listed = (section.without ?? []).flatMap((other) => typeOf(program, other).getProperties())
    const names = new Set(
      section.only ? [] : [...listed.map(({ name }) => name), ...(ADVANCED[section.of] ?? [])],
    )
    const options = optionsOf(checker, typeOf(program, section), section.nested ?? [])
      .filter(({ path }) => !names.has(path) && (section.only?.includes(path) ?? true))
      .map((option) => ({ ...option, types: typesOf(option, section) }))
    return { ...section, options }
  })
  const paths = sections.flatMap(({ options }) => options.map(({ path }) => path))
  const isShared = (path: string): boolean => paths.indexOf(path) !== paths.lastIndexOf(path)
  const texts = sections.map(({ options, text, title }) => {
    // Options of one name need anchors that say which of them a link means.
    const [owner = ''] = / of .*/.exec(title) ?? []
    const entries = options.map((option) => {
      const { path } = option
      return entryOf(isShared(path) ? path + owner : path, option)
    })
    return [`## ${title}`, text, ...entries].join('\n\n')
  })
  const paragraphs = [HEAD, ...texts].join('\n\n').split('\n\n')
  const page = paragraphs.map(wrap).join('\n\n')
  return format(page, { ...(await resolveConfig(OPTIONS_PAGE)), parser: 'markdown' })
}

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: object }
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  return ts.createProgram([...new Set(SECTIONS.map((section) => join(SOURCE, section.in)))], options)
}

function typeOf(program: ts.Program, section: Pick<Section, 'in' | 'of' | 'method'>): ts.Type {
  const { in: file, method, of } = section
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(SOURCE, file))
  const names = source ? checker.getExportsOfModule(checker.getSymbolAtLocation(source)!) : []
  const exported = names.find(({ name }) => name === of)
  if (!exported)
    throw new Error(`${file} exports no ${of}: name what replaces it in scripts/options-page.ts.`)
  if (method === undefined) return checker.getDeclaredTypeOfSymbol(exported)
  const [signature] = checker
    .getTypeOfSymbol(exported.exports!.get(ts.escapeLeadingUnderscores(method))!)
    .getCallSignatures()
  return checker.getTypeOfSymbol(signature!.getParameters()[0]!)
}

function optionsOf(checker: ts.TypeChecker, type: ts.Type, nested: readonly string[], prefix = ''): Option[] {
  const isUnion = type.isUnion()
  const byName = Map.groupBy(
    // Text has properties, too: its methods.
    isUnion ? type.types.filter(isObject).flatMap((one) => one.getProperties()) : type.getProperties(),
    ({ name }) => name,
  )
  return [...byName].flatMap(([name, symbols]) => {
    const path = prefix + name
    const own = checker.getNonNullableType(checker.getTypeOfSymbol(symbols[0]!))
    const values = own.isUnion() ? own.types.filter((one) => !isObject(one)) : []
    const option: Option = {
      path,
      isRequired: !isUnion && !(symbols[0]!.flags & ts.SymbolFlags.Optional),
      types: nested.includes(path)
        ? [...values.map((value) => checker.typeToString(value).replaceAll('"', "'")), 'object']
        : distinct(symbols.map(writtenType)),
      texts: distinct(symbols.map((symbol) => textOf(checker, symbol, path))),
      standard: defaultOf(symbols[0]!),
    }
    if (!nested.includes(path)) return [option]
    return [option, ...optionsOf(checker, own, nested, `${path}.`)]
  })
}

function isObject({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
}

function typesOf({ path, types }: Option, section: Section): readonly string[] {
  const written = section.types?.[path]
  return written === undefined ? types : [written]
}

/** The type as the source has it. */
function writtenType(symbol: ts.Symbol): string {
  const declaration = symbol.declarations?.find((node) => ts.isPropertySignature(node))
  return (declaration?.type?.getText() ?? '')
    .replaceAll(/\/\*\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('( ', '(')
    .replaceAll(/,? \)/g, ')')
}

function textOf(checker: ts.TypeChecker, symbol: ts.Symbol, path: string): string {
  const text = symbol
    .getDocumentationComment(checker)
    .map((part) => (part.kind === 'linkName' ? `\`${part.text}\`` : part.kind === 'link' ? '' : part.text))
    .join('')
  if (text === '') throw new Error(`The option "${path}" has no doc comment: write one where it is declared.`)
  const linked = text.replaceAll(/\bdocs\/([\w-]+\.md)/g, '[$1]($1)')
  return linked.replaceAll(/(?<!\n)\n(?!\n)/g, ' ').trim()
}

function defaultOf(symbol: ts.Symbol): string | undefined {
  const tag = symbol.getJsDocTags().find(({ name }) => name === 'default')
  return tag && ts.displayPartsToString(tag.text).replaceAll(/\s+/g, ' ').trim()
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

function entryOf(heading: string, { isRequired, types, texts, standard }: Option): string {
  const facts = [types.map((type) => `\`${type}\``).join(' or ')]
  if (isRequired) facts.push('required')
  if (standard !== undefined) facts.push(`default: ${asCode(standard)}`)
  return [`### ${heading}`, facts.join(' · '), ...texts].join('\n\n')
}

/** Values look like code, wherever the comment left that out. */
const asCode = (standard: string): string =>
  /^('[^']*'|[\d_.]+|true|false)$/.test(standard) ? `\`${standard}\`` : standard

function wrap(paragraph: string): string {
  return /^(#|<!--|- |```|\|)/.test(paragraph) ? paragraph : linesOf(paragraph, LINE_LENGTH).join('\n')
}
