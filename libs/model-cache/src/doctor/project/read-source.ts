import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve, sep } from 'node:path'
import type ts from 'typescript'
import { fault, type Finding } from '../finding.js'
import { SourceCode } from './source-code.js'

/** The source of a project. */
export interface ProjectSource {
  readonly files: readonly SourceCode[]
  /** Why there are none, if the project has source. */
  readonly problems: readonly Finding[]
}

/** Where the source of a project usually is. */
const usualFolders = ['src', 'apps', 'libs', 'packages']

const skippedFolders = /^(?:node_modules|dist|build|out|coverage|generated|test|tests|__tests__|e2e|\..*)$/
const isSource = /(?<!\.d)\.[cm]?[jt]sx?$/
const isTest = /\.(?:spec|test|e2e-spec|e2e|stories)\.[cm]?[jt]sx?$/

/** Larger files are generated. */
const maxBytes = 500_000

/**
 * Reads the source of a project with the TypeScript that it has, without tests, and without what is built or generated.
 *
 * @param given folders or files. @default `src`, `apps`, `libs` and `packages`, as far as they exist
 * @param client the folder of the generated Prisma client
 */
export function readSource(
  folder: string,
  given: readonly string[] | undefined,
  client: string | undefined,
): ProjectSource {
  const paths = [
    ...new Set((given ?? usualFolders).flatMap((root) => filesIn(resolve(folder, root), client))),
  ]
  if (paths.length === 0) return { files: [], problems: [] }
  const parser = parserOf(folder)
  if (parser === undefined) return { files: [], problems: [withoutParser] }
  const read = (path: string): SourceCode =>
    new SourceCode(parser, relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8'))
  return { files: paths.map(read), problems: [] }
}

function filesIn(path: string, client: string | undefined): string[] {
  if (!existsSync(path) || path === client) return []
  const stats = statSync(path)
  if (!stats.isDirectory())
    return isSource.test(path) && !isTest.test(path) && stats.size <= maxBytes ? [path] : []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink() && !skippedFolders.test(entry.name))
    .flatMap(({ name }) => filesIn(join(path, name), client))
}

/** TypeScript 7 has no parser for other programs. */
function parserOf(folder: string): typeof ts | undefined {
  try {
    const found = createRequire(join(folder, 'package.json'))('typescript') as Partial<typeof ts>
    return found.createSourceFile && (found as typeof ts)
  } catch {
    return undefined
  }
}

const withoutParser = fault(
  'note',
  'source.typescript',
  'The source was not read: the project has no package typescript, or one without a parser, as from version 7 on.',
  'Raw SQL and Prisma clients were not checked, and it is unknown whether the application follows the database.',
  'npm install --save-dev typescript@6; and give --follow and --replicas if the application has these options.',
)
