import { posix } from 'node:path'
import ts from 'typescript'

export interface SourceImport {
  /** As written: `./codec.js`, `@nestjs/common`. */
  specifier: string
  /** The path of the imported file, from the repository's root; undefined for packages. */
  target: string | undefined
  typeOnly: boolean
}

export interface SourceFile {
  /** From the repository's root: `libs/model-cache/src/errors.ts`. */
  path: string
  imports: SourceImport[]
  /** The names that it declares and exports; those of re-exports are declared elsewhere. */
  exports: string[]
  /** Nothing in it but `export … from`. */
  isBarrel: boolean
}

/**
 * Reads a file's imports with the TypeScript parser: static and dynamic imports, re-exports, `import('x')` types
 * and `require`, by whatever name: a string that is the only argument of a call and looks like a package is one.
 */
export function parseSourceFile(path: string, text: string): SourceFile {
  const known = parsed.get(path)
  if (known?.text === text) return known.file
  const file = parse(path, text)
  parsed.set(path, { text, file })
  return file
}

/** Several rules read each file, which takes the parser longer than anything that they do with it. */
const parsed = new Map<string, { text: string; file: SourceFile }>()

function parse(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const imports: SourceImport[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    imports.push({ specifier: specifier.text, target: resolve(path, specifier.text), typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause))
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isExternalModuleReference(node)) add(node.expression, false)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && isLoading(node, tree)) add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return {
    path,
    imports,
    // Once for all signatures of an overloaded function.
    exports: [...new Set(tree.statements.flatMap(exportedNames))],
    isBarrel:
      tree.statements.length > 0 &&
      tree.statements.every((statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier),
  }
}

function exportedNames(statement: ts.Statement): string[] {
  if (!ts.canHaveModifiers(statement)) return []
  if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
  const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
  const names = declared.flatMap((node) => ts.getNameOfDeclaration(node as ts.Declaration) ?? [])
  return names.filter(ts.isIdentifier).map(({ text }) => text)
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  if (clause.name || !named || !ts.isNamedImports(named)) return false
  return named.elements.length > 0 && named.elements.every((element) => element.isTypeOnly)
}

function isLoading(call: ts.CallExpression, tree: ts.SourceFile): boolean {
  const {
    expression,
    arguments: [argument, ...rest],
  } = call
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return true
  if (rest.length > 0 || !argument || !ts.isStringLiteralLike(argument)) return false
  return (
    expression.getText(tree) === 'require' ||
    /^(@nestjs\/|@prisma\/|arktype$|ioredis$|prom-client$)/.test(argument.text)
  )
}

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#prisma/')) return specifier.replace('#', '').replace(/\.js$/, '.ts')
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts')
}
