import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { type SourceCode, sourceCodeOf } from './source-code.js'

/** Where the source of a project usually is. */
const usualFolders = ['src', 'apps', 'libs', 'packages']

const skippedFolders = /^(?:node_modules|dist|build|out|coverage|generated|test|tests|__tests__|e2e|\..*)$/
const isSource = /(?<!\.d)\.[cm]?[jt]sx?$/
const isTest = /\.(?:spec|test|e2e-spec|e2e|stories)\.[cm]?[jt]sx?$/

/** Larger files are generated. */
const maxBytes = 500_000

/**
 * Reads the source of a project, without tests, and without what is built or generated.
 *
 * @param given folders or files. @default `src`, `apps`, `libs` and `packages`, as far as they exist
 * @param client the folder of the generated Prisma client
 */
export function readSource(
  folder: string,
  given: readonly string[] | undefined,
  client: string | undefined,
): readonly SourceCode[] {
  const roots = given ?? usualFolders.filter((name) => existsSync(join(folder, name)))
  const files = roots.flatMap((root) => filesIn(resolve(folder, root), client))
  return [...new Set(files)].map((file) => {
    const path = relative(folder, file).split(sep).join('/')
    return sourceCodeOf(path, readFileSync(file, 'utf8'))
  })
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
