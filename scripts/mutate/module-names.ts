/** Where the names of modules lead in this repository, as Jest finds them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
// @ts-expect-error -- plain JavaScript
import config from '../../jest.config.js'

export const ROOT = join(import.meta.dirname, '../..')
const { moduleNameMapper } = (config as { projects: { moduleNameMapper: Record<string, string> }[] })
  .projects[0]!
const names = Object.entries(moduleNameMapper)
  .filter(([, target]) => target.startsWith('<rootDir>'))
  .map(([pattern, target]) => [new RegExp(pattern), target.replace('<rootDir>', ROOT)] as const)

/** @returns the path of a TypeScript file of the repository; undefined for other modules */
export function pathOf(name: string, importer: string | undefined): string | undefined {
  for (const [pattern, target] of names) if (pattern.test(name)) return name.replace(pattern, target)
  if (!importer || !/^\.{1,2}\/.*\.[jt]s$/.test(name)) return undefined
  const path = join(importer, '..', name.replace(/\.js$/, '.ts'))
  return !path.includes('/node_modules/') && existsSync(path) ? path : undefined
}
