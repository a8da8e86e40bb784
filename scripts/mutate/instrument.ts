/** Mutants of source files: which count, and one text per file that holds them all, each behind a switch. */
import { readFileSync } from 'node:fs'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import type { babel } from '@stryker-mutator/instrumenter'
import type { Mutant } from './mutant.ts'
import { redundantOf } from './redundant.ts'

/**
 * Names of states, keys and channels are types, which the compiler checks; all other strings are texts for people, Lua and SQL, which
 * tests with servers run as a whole.
 */
const excludedMutations = ['StringLiteral']

/** Texts of errors and logs: that an error is thrown or logged counts, what it says does not. */
const ignorers = [
  {
    shouldIgnore(path: object): string | undefined {
      const { node, parent } = path as babel.NodePath
      const isArgument =
        (parent?.type === 'NewExpression' || parent?.type === 'CallExpression') &&
        parent.arguments.some((argument) => argument === node)
      if (!isArgument) return undefined
      const { callee } = parent
      const isError = callee.type === 'Identifier' && callee.name.endsWith('Error')
      const isLog =
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        /^(warn|error|log|debug)$/.test(callee.property.name)
      return isError || isLog ? 'a text for people' : undefined
    },
  },
]

const silent = () => {}
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
}

/** @returns the mutants of these files that are not redundant, and the instrumented text of each file */
export async function instrument(
  files: readonly string[],
): Promise<{ mutants: Mutant[]; texts: Map<string, string> }> {
  const contents = new Map(files.map((name) => [name, readFileSync(name, 'utf8')]))
  const result = await new Instrumenter(logger).instrument(
    [...contents].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations, ignorers },
  )
  const changes = result.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName, location, mutatorName, replacement }) => {
      const content = contents.get(fileName)!
      return {
        id,
        file: fileName,
        line: location.start.line + 1,
        mutator: mutatorName,
        replacement: replacement!,
        pos: offsetOf(content, location.start),
        end: offsetOf(content, location.end),
      }
    })
  const mutants = [...Map.groupBy(changes, ({ file }) => file)].flatMap(([file, ofFile]) => {
    const content = contents.get(file)!
    const redundant = redundantOf(content, ofFile)
    const firstId = Number(ofFile[0]!.id)
    return ofFile
      .filter((change) => !redundant.has(change))
      .map(({ pos, end, replacement, ...mutant }) => ({
        ...mutant,
        key: `${file}#${Number(mutant.id) - firstId}`,
        original: oneLine(content.slice(pos, end)),
        replacement: oneLine(replacement),
      }))
  })
  return { mutants, texts: new Map(result.files.map(({ name, content }) => [name, content])) }
}

function offsetOf(content: string, { line, column }: { line: number; column: number }): number {
  let start = 0
  for (let i = 0; i < line; i++) start = content.indexOf('\n', start) + 1
  return start + column
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim()
}
