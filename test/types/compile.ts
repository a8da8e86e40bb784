import { join } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')
/** The folder of the specs, so that imports resolve as in them. */
const FOLDER = import.meta.dirname

/** Packages that samples import, and the root does not have. */
const PARTS = ['apps/bench', 'test/integration/stacked'].map((folder) => join(ROOT, folder, 'sample.ts'))

/** Files that do not exist. Modules, whatever they contain. */
let texts: ReadonlyMap<string, string> = new Map()
let version = 0
let service: ts.LanguageService | undefined
let batch: { readonly source: string; readonly answer: (path: string) => void }[] = []

/** As `nest new` configured applications until version 10. */
const looseOptions: ts.CompilerOptions = { strict: false, strictNullChecks: false, noImplicitAny: false }

/**
 * Type-checks a TypeScript module with the options of the repository. Resolves with its own errors in order, each as
 * `line: message`; an empty array if it compiles. `// @ts-expect-error` works as usual.
 *
 * @example
 * await diagnosticsOf(`
 *   import { modelCaches } from 'model-cache'
 *   const n: number = 'text'
 * `) // ["3: Type 'string' is not assignable to type 'number'."]
 */
export function diagnosticsOf(source: string): Promise<string[]> {
  return ask(source, diagnosticsIn)
}

/** `check` has the errors of modules behind a prelude, by the line within the module; `compiles` expects none. */
export function checksBehind(prelude: string) {
  const lines = prelude.split('\n').length - 1
  const check = async (source: string): Promise<string[]> =>
    (await diagnosticsOf(prelude + source)).map((found) => {
      const [, line, message] = /^(\d+): ([^]*)/.exec(found)!
      return `${Number(line) - lines}: ${message}`
    })
  const compiles = async (source: string): Promise<void> => expect(await check(source)).toEqual([])
  return { check, compiles }
}

/** Type-checks a module as `diagnosticsOf` does, with `strictNullChecks: false`. */
export function looseDiagnosticsOf(source: string): readonly string[] {
  const path = join(FOLDER, 'virtual-loose.ts')
  texts = new Map([[path, source]])
  version++
  return diagnosticsIn(createService(looseOptions), path)
}

function diagnosticsIn(program: ts.LanguageService, path: string): string[] {
  return [...program.getSyntacticDiagnostics(path), ...program.getSemanticDiagnostics(path)].map(
    ({ file, start, messageText }) => {
      const message = ts.flattenDiagnosticMessageText(messageText, '\n')
      const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
      return `${line}: ${message}`
    },
  )
}

/**
 * Counts the types that the compiler instantiates for each of these modules, as `tsc --extendedDiagnostics` does. Each is checked by a compiler
 * of its own, so that a module has the same count in every run.
 *
 * @throws Error if one does not compile
 */
export function instantiationsOf(sources: readonly string[]): readonly number[] {
  const path = join(FOLDER, 'virtual-counted.ts')
  const own = createService()
  return sources.map((source) => {
    texts = new Map([[path, source]])
    version++
    const [error] = own.getSemanticDiagnostics(path)
    if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
    return own.getProgram()!.getInstantiationCount()
  })
}

/** Resolves with the names that an editor offers at the mark `▮` of a module. */
export function completionsOf(source: string): Promise<string[]> {
  return ask(source.replace('▮', ''), (program, path) => {
    const found = program.getCompletionsAtPosition(path, source.indexOf('▮'), {})
    return (found?.entries ?? []).map(({ name }) => name)
  })
}

/**
 * Modules of the same turn, as those of concurrent tests, are parts of one program: what the compiler finds out about the types of the
 * library takes it seconds, and is lost with the program.
 */
function ask<T>(source: string, question: (program: ts.LanguageService, path: string) => T): Promise<T> {
  if (batch.length === 0) setImmediate(answerBatch)
  return new Promise((resolve) => {
    batch.push({ source, answer: (path) => resolve(question(service!, path)) })
  })
}

function answerBatch(): void {
  const answered = new Map(batch.map((item, i) => [join(FOLDER, `virtual-${i}.ts`), item]))
  batch = []
  texts = new Map([...answered].map(([path, { source }]) => [path, source]))
  version++
  service ??= createService()
  for (const [path, { answer }] of answered) answer(path)
}

function createService(others: ts.CompilerOptions = {}): ts.LanguageService {
  const configFile = join(ROOT, 'tsconfig.json')
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile) as { config: object }
  // Only the imports of the module are needed; other files of the repository would cost time.
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  const snapshots = new Map<string, ts.IScriptSnapshot | undefined>()
  const fromDisk = (path: string): ts.IScriptSnapshot | undefined => {
    if (!snapshots.has(path)) {
      const content = ts.sys.readFile(path)
      snapshots.set(path, content === undefined ? undefined : ts.ScriptSnapshot.fromString(content))
    }
    return snapshots.get(path)
  }
  const { directoryExists, fileExists, readFile, realpath } = ts.sys
  const disk = { directoryExists, fileExists, readFile, realpath: realpath! }
  const resolved = ts.createModuleResolutionCache(ROOT, (name) => name, options)
  return ts.createLanguageService({
    resolveModuleNameLiterals: (literals, importer, redirected, compilerOptions, file) =>
      literals.map((literal) => {
        const mode = ts.getModeForUsageLocation(file, literal, compilerOptions)
        const resolveFrom = (path: string) =>
          ts.resolveModuleName(literal.text, path, compilerOptions, disk, resolved, redirected, mode)
        const found = resolveFrom(importer)
        if (found.resolvedModule || literal.text.startsWith('.')) return found
        return PARTS.map(resolveFrom).find(({ resolvedModule }) => resolvedModule) ?? found
      }),
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: (path) => (texts.has(path) ? String(version) : '1'),
    getScriptSnapshot(path) {
      const text = texts.get(path)
      return text === undefined ? fromDisk(path) : ts.ScriptSnapshot.fromString(text)
    },
    getCompilationSettings: () => ({
      ...options,
      ...others,
      moduleDetection: ts.ModuleDetectionKind.Force,
    }),
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => texts.has(path) || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath!,
  })
}
