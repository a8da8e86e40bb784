import { join } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')
/** A file that does not exist, in the folder of the specs, so that imports resolve as in the specs. */
const VIRTUAL_FILE = join(import.meta.dirname, 'virtual.ts')

let text = ''
let version = 0
let service: ts.LanguageService | undefined

/**
 * Type-checks a TypeScript module with the options of the repository. Returns its own errors in order, each as
 * `line: message`; an empty array if it compiles. `// @ts-expect-error` works as usual.
 *
 * The first call in a test file loads the types of the library and takes seconds; later calls reuse them.
 *
 * @example
 * diagnosticsOf(`
 *   import { defineModelCache } from 'model-cache'
 *   const n: number = 'text'
 * `) // ["3: Type 'string' is not assignable to type 'number'."]
 */
export function diagnosticsOf(source: string): string[] {
  text = source
  version++
  service ??= createService()
  const diagnostics = [
    ...service.getSyntacticDiagnostics(VIRTUAL_FILE),
    ...service.getSemanticDiagnostics(VIRTUAL_FILE),
  ]
  return diagnostics.map(({ file, start, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n')
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${line}: ${message}`
  })
}

/** Returns the names that an editor offers at the mark `▮` of a module. */
export function completionsOf(source: string): string[] {
  const position = source.indexOf('▮')
  text = source.replace('▮', '')
  version++
  service ??= createService()
  const found = service.getCompletionsAtPosition(VIRTUAL_FILE, position, {})
  return (found?.entries ?? []).map(({ name }) => name)
}

function createService(): ts.LanguageService {
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
  return ts.createLanguageService({
    getScriptFileNames: () => [VIRTUAL_FILE],
    getScriptVersion: (path) => (path === VIRTUAL_FILE ? String(version) : '1'),
    getScriptSnapshot: (path) =>
      path === VIRTUAL_FILE ? ts.ScriptSnapshot.fromString(text) : fromDisk(path),
    getCompilationSettings: () => options,
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === VIRTUAL_FILE || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath!,
  })
}
