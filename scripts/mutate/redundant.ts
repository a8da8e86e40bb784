/** Mutants that would say nothing of their own: they change nothing, or whatever notices another mutant notices them as well. */
import ts from 'typescript'

export interface Change {
  /** What is replaced, from where to where in the text. */
  pos: number
  end: number
  mutator: string
  replacement: string
}

const { SyntaxKind } = ts
const OPPOSITES = [
  [SyntaxKind.EqualsEqualsToken, SyntaxKind.ExclamationEqualsToken],
  [SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken],
  [SyntaxKind.LessThanToken, SyntaxKind.GreaterThanEqualsToken],
  [SyntaxKind.GreaterThanToken, SyntaxKind.LessThanEqualsToken],
] as const
const OPPOSITE = new Map<ts.SyntaxKind, ts.SyntaxKind>(
  OPPOSITES.flatMap(([a, b]) => [
    [a, b],
    [b, a],
  ]),
)
/** Calls of these have no effect of their own. */
const WITHOUT_EFFECT = /^(has|includes|startsWith|endsWith|isArray|isInteger|hasOwn)$/

/** @returns those of the changes of a text that are redundant */
export function redundantOf<T extends Change>(text: string, changes: readonly T[]): Set<T> {
  const places = Map.groupBy(changes, ({ pos, end }) => `${pos} ${end}`)
  const redundant = new Set<T>()

  const changesOf = (node: ts.Node, mutator: string): readonly T[] =>
    (places.get(`${node.getStart()} ${node.end}`) ?? []).filter((change) => change.mutator === mutator)
  const drop = (found: readonly T[]) => {
    for (const change of found) redundant.add(change)
  }

  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.kind
      // Always true and always false are mutants, too; where one of them differs, the opposite gives the same.
      const opposite = OPPOSITE.get(operator)
      if (opposite)
        drop(
          changesOf(node, 'EqualityOperator').filter(
            ({ replacement }) => operatorOf(replacement) === opposite,
          ),
        )
      // `true && b` and `a && true` are true where `a || b` and `true` are, and should not be.
      const fixed = operator === SyntaxKind.AmpersandAmpersandToken ? 'true' : 'false'
      if (isLogical(operator) && [node.left, node.right].some(isFixable)) {
        drop(changesOf(node, 'LogicalOperator'))
        drop(changesOf(node, 'ConditionalExpression').filter(({ replacement }) => replacement === fixed))
      }
    }
    // `if (false)` skips it, too.
    if (ts.isIfStatement(node) && !node.elseStatement && isWithoutEffect(node.expression)) {
      const { thenStatement } = node
      drop(changesOf(thenStatement, 'BlockStatement'))
      const [only, ...others] = ts.isBlock(thenStatement) ? thenStatement.statements : [thenStatement]
      if (only && others.length === 0) drop(changesOf(only, 'CallExpression'))
    }
    if (ts.isBlock(node) && node.statements.length === 1) {
      const only = node.statements[0]!
      if (changesOf(only, 'CallExpression').length > 0 || (returnsNothing(only) && isLast(node)))
        drop(changesOf(node, 'BlockStatement'))
    }
    if (
      ts.isCaseOrDefaultClause(node) &&
      node.statements.length === 1 &&
      returnsNothing(node.statements[0]!)
    ) {
      const isEnd = node.parent.clauses.at(-1) === node && isLast(node.parent.parent)
      if (isEnd) drop(changesOf(node, 'ConditionalExpression'))
    }
    if (ts.isArrowFunction(node) && isNothing(node.body)) drop(changesOf(node, 'ArrowFunction'))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true))
  return redundant
}

function isLogical(operator: ts.SyntaxKind): boolean {
  return operator === SyntaxKind.AmpersandAmpersandToken || operator === SyntaxKind.BarBarToken
}

/** Whether Stryker replaces an operand by `true` or `false`. */
function isFixable(node: ts.Expression): boolean {
  const operand = withoutParentheses(node)
  if (!ts.isBinaryExpression(operand)) return false
  const operator = operand.operatorToken.kind
  return OPPOSITE.has(operator) || isLogical(operator)
}

function withoutParentheses(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node
}

function operatorOf(code: string): ts.SyntaxKind | undefined {
  const [statement] = ts.createSourceFile('code.ts', `(${code})`, ts.ScriptTarget.Latest).statements
  if (!statement || !ts.isExpressionStatement(statement)) return undefined
  const expression = withoutParentheses(statement.expression)
  return ts.isBinaryExpression(expression) ? expression.operatorToken.kind : undefined
}

function isWithoutEffect(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) {
    const { expression } = node
    if (!ts.isPropertyAccessExpression(expression) || !WITHOUT_EFFECT.test(expression.name.text)) return false
  }
  const hasEffect =
    ts.isNewExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isYieldExpression(node) ||
    ts.isDeleteExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    ts.isPostfixUnaryExpression(node) ||
    (ts.isPrefixUnaryExpression(node) &&
      (node.operator === SyntaxKind.PlusPlusToken || node.operator === SyntaxKind.MinusMinusToken)) ||
    (ts.isBinaryExpression(node) &&
      node.operatorToken.kind >= SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= SyntaxKind.LastAssignment)
  if (hasEffect) return false
  return ts.forEachChild(node, (child) => (isWithoutEffect(child) ? undefined : true)) === undefined
}

/** Whether a function ends after this statement, so that it gives `undefined` without a `return`. */
function isLast(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isFunctionLike(parent)) return !ts.isConstructorDeclaration(parent)
  if (ts.isBlock(parent)) return parent.statements.at(-1) === node && isLast(parent)
  if (ts.isIfStatement(parent)) return isLast(parent)
  if (ts.isCatchClause(parent)) return isLast(parent.parent)
  if (ts.isTryStatement(parent)) return parent.finallyBlock !== node && isLast(parent)
  return false
}

function returnsNothing(statement: ts.Statement): boolean {
  return ts.isReturnStatement(statement) && (!statement.expression || isNothing(statement.expression))
}

function isNothing(node: ts.Node): boolean {
  return ts.isIdentifier(node) && node.text === 'undefined'
}
