import type ts from 'typescript'

/** A file of source, as TypeScript parses it. */
export class SourceCode {
  /** The parser, which also tells the kinds of nodes. */
  readonly ts: typeof ts
  readonly text: string
  /** All of them, in the order of the text. */
  readonly nodes: readonly ts.Node[]
  readonly #file: ts.SourceFile

  /** @param path from the folder of the project: `src/jobs/prices.ts` */
  constructor(parser: typeof ts, path: string, text: string) {
    this.ts = parser
    this.text = text
    this.#file = parser.createSourceFile(path, text, parser.ScriptTarget.Latest, true)
    this.nodes = this.within(this.#file)
  }

  /** A node, and all below it. */
  within(root: ts.Node): readonly ts.Node[] {
    const nodes: ts.Node[] = []
    const visit = (node: ts.Node): void => {
      nodes.push(node)
      this.ts.forEachChild(node, visit)
    }
    visit(root)
    return nodes
  }

  /** The calls of functions and methods with one of these names. */
  callsOf(names: readonly string[]): readonly ts.CallExpression[] {
    return this.nodes.filter((node) => this.isCallOf(node, names))
  }

  isCallOf(node: ts.Node, names: readonly string[]): node is ts.CallExpression {
    return this.ts.isCallExpression(node) && names.includes(this.nameOf(node.expression) ?? '')
  }

  /** `b` of `b`, `'b'` and `a.b`; undefined for anything else. */
  nameOf(node: ts.Node | undefined): string | undefined {
    if (node === undefined) return undefined
    if (this.ts.isPropertyAccessExpression(node)) return node.name.text
    return this.ts.isMemberName(node) || this.ts.isStringLiteral(node) ? node.text : undefined
  }

  /** The name of what a node declares: a variable, a function, a property. */
  declaredName(node: ts.Node): string | undefined {
    return this.nameOf(this.ts.getNameOfDeclaration(node as ts.Declaration))
  }

  /** `path:line` of a node. */
  placeOf(node: ts.Node): string {
    return `${this.#file.fileName}:${this.#lineOf(node) + 1}`
  }

  /** Whether a comment `// model-cache: <reason>` on its line, or the one before, says that a finding is known. */
  isAcknowledged(node: ts.Node): boolean {
    const line = this.#lineOf(node)
    const lines = this.text.split('\n').slice(Math.max(0, line - 1), line + 1)
    return lines.some((content) => /\/[/*]\s*model-cache:\s*\w/.test(content))
  }

  #lineOf(node: ts.Node): number {
    return this.#file.getLineAndCharacterOfPosition(node.getStart(this.#file)).line
  }
}
