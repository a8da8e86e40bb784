/** The text of docs/options.md, made of the doc comments of the option interfaces. */
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '..')
/** Entry points that export what sections are about. */
const ENTRIES = ['index.ts', 'inspector/index.ts'].map((name) => join(ROOT, 'libs/model-cache/src', name))
const LINE_LENGTH = 118

export const OPTIONS_PAGE = join(ROOT, 'docs/options.md')

interface Section {
  readonly title: string
  readonly text: string
  /** An exported interface, or an exported class with the static method whose first parameter holds the options. */
  readonly of: string
  readonly method?: string
  /** An exported interface whose options another section lists. */
  readonly without?: string
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

const SECTIONS: readonly Section[] = [
  {
    title: 'Options of a cache',
    text: 'The second argument of `defineModelCache(model, options)`, as `modelCaches` returns it. These are the options of all caches; the next two sections list those that say what a row is.',
    of: 'CacheOptions',
    nested: ['l1'],
  },
  {
    title: 'Rows derived from the Prisma schema',
    text: 'Further options of `defineModelCache(model, options)`. The compiler checks them against the types of the generated client.',
    of: 'DerivedCacheOptions',
    without: 'CacheOptions',
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
    of: 'ListOptions',
    types: {
      by: 'field | fields',
      where: '{ [field]: value | null | { not: null } | { in: values } }',
      orderBy: "{ [field]: 'asc' | 'desc' | { sort, nulls? } } | (…)[]",
    },
  },
  {
    title: 'Options of a list by a relation',
    text: 'A list has a relation instead of `by` if its rows are those that an implicit many-to-many relation connects with one row.',
    of: 'RelatedListOptions',
    without: 'ListOptions',
    types: { through: 'relation field' },
  },
  {
    title: 'Rows described by hand',
    text: 'The argument of `defineModelCache<Row>()` of the package, for rows that are not those of a Prisma model: [all options above](#options-of-a-cache), and these.',
    of: 'ModelCacheOptions',
    without: 'CacheOptions',
    types: {
      unique: '{ [name]: field | fields | { by, fold?, caseSensitive? } }',
      lists: '{ [name]: { by, … } }',
    },
  },
  {
    title: 'Options of the module',
    text: 'The argument of `ModelCacheModule.forRoot`. With `forRootAsync`, `name` stands beside the factory and all others are what it returns.',
    of: 'ModelCacheModule',
    method: 'forRoot',
    nested: ['valkey', 'memory', 'consistency', 'audit', 'eventLoop', 'eventLoop.shedding'],
  },
  {
    title: 'Options of an extended client',
    text: 'The last argument of `provideExtendedPrisma`. `extendPrisma` takes them as well, except `root`.',
    of: 'ExtendedPrismaOptions',
    types: { reads: "readonly definition[] | 'all' | 'shadow' | { caches?, shadow?, hooks? }" },
  },
  {
    title: 'Options of the inspector',
    text: 'The argument of `ModelCacheInspectorModule.forRoot` of `model-cache/inspector`. With `forRootAsync`, `path`, `guards` and `imports` stand beside the factory.',
    of: 'ModelCacheInspectorModule',
    method: 'forRoot',
    types: {
      user: '(request) => string',
      show: "field names, or { [cache]: field names | '*' }",
      actions: "('invalidate' | 'invalidateAll')[], or { [cache]: such a list }",
    },
  },
]

/** @throws Error when an option has no doc comment, or an exported name is gone */
export async function optionsPage(): Promise<string> {
  const program = createProgram()
  const checker = program.getTypeChecker()
  const sections = SECTIONS.map((section) => {
    const listed =
      section.without === undefined ? [] : typeOf(program, { of: section.without }).getProperties()
    const names = new Set(listed.map(({ name }) => name))
    const options = listOptions(checker, typeOf(program, section), section.nested ?? [])
      .filter(({ path }) => !names.has(path))
      .map((option) => ({ ...option, types: typesOf(option, section) }))
    return [`## ${section.title}`, section.text, ...options.map(entryOf)].join('\n\n')
  })
  const paragraphs = [HEAD, ...sections].join('\n\n').split('\n\n')
  const page = paragraphs.map(wrap).join('\n\n')
  return format(page, { ...(await resolveConfig(OPTIONS_PAGE)), parser: 'markdown' })
}

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: object }
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  return ts.createProgram(ENTRIES, options)
}

function typeOf(program: ts.Program, { of, method }: Pick<Section, 'of' | 'method'>): ts.Type {
  const checker = program.getTypeChecker()
  const entries = ENTRIES.map((path) => checker.getSymbolAtLocation(program.getSourceFile(path)!)!)
  const found = entries.flatMap((entry) => checker.getExportsOfModule(entry)).find(({ name }) => name === of)
  if (!found)
    throw new Error(`The library exports no ${of}: name what replaces it in scripts/options-page.ts.`)
  const exported = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
  if (method === undefined) return checker.getDeclaredTypeOfSymbol(exported)
  const [signature] = checker
    .getTypeOfSymbol(exported.exports!.get(ts.escapeLeadingUnderscores(method))!)
    .getCallSignatures()
  return checker.getTypeOfSymbol(signature!.getParameters()[0]!)
}

function listOptions(
  checker: ts.TypeChecker,
  type: ts.Type,
  nested: readonly string[],
  prefix = '',
): Option[] {
  const isUnion = type.isUnion()
  const byName = Map.groupBy(
    isUnion ? type.types.flatMap((one) => one.getProperties()) : type.getProperties(),
    ({ name }) => name,
  )
  return [...byName].flatMap(([name, symbols]) => {
    const path = prefix + name
    const option: Option = {
      path,
      isRequired: !isUnion && !(symbols[0]!.flags & ts.SymbolFlags.Optional),
      types: nested.includes(path) ? ['object'] : distinct(symbols.map(writtenType)),
      texts: distinct(symbols.map((symbol) => textOf(checker, symbol, path))),
      standard: defaultOf(symbols[0]!),
    }
    if (!nested.includes(path)) return [option]
    const own = checker.getNonNullableType(checker.getTypeOfSymbol(symbols[0]!))
    return [option, ...listOptions(checker, own, nested, `${path}.`)]
  })
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

function entryOf({ path, isRequired, types, texts, standard }: Option): string {
  const facts = [types.map((type) => `\`${type}\``).join(' or ')]
  if (isRequired) facts.push('required')
  if (standard !== undefined) facts.push(`default: ${asCode(standard)}`)
  return [`### ${path}`, facts.join(' · '), ...texts].join('\n\n')
}

/** Values look like code, wherever the comment left that out. */
const asCode = (standard: string): string =>
  /^('[^']*'|[\d_.]+|true|false)$/.test(standard) ? `\`${standard}\`` : standard

function wrap(paragraph: string): string {
  if (/^(#|<!--|- |```|\|)/.test(paragraph)) return paragraph
  const lines = ['']
  for (const word of paragraph.match(/`[^`]*`\S*|\S+/g) ?? []) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + 1 + word.length > LINE_LENGTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}
