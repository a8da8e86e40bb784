/**
 * Loads the repository's TypeScript as Jest does, but as modules of Node itself: compiled by SWC, with the module names of jest.config.js,
 * and instrumented texts in place of the files they were made of. `MUTATE_TEXTS` names the JSON file that has those texts.
 */
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transformSync } from '@swc/core'
// @ts-expect-error -- plain JavaScript
import config from '../../jest.config.js'

const ROOT = join(import.meta.dirname, '../..')
const JEST_GLOBALS = pathToFileURL(join(import.meta.dirname, 'jest-globals.ts')).href
const texts = JSON.parse(readFileSync(process.env.MUTATE_TEXTS!, 'utf8')) as Record<string, string>
const { moduleNameMapper } = (config as { projects: { moduleNameMapper: Record<string, string> }[] })
  .projects[0]!
const names = Object.entries(moduleNameMapper)
  .filter(([, target]) => target.startsWith('<rootDir>'))
  .map(([pattern, target]) => [new RegExp(pattern), target.replace('<rootDir>', ROOT)] as const)
const compiled = new Map<string, string>()

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return next(JEST_GLOBALS, context)
    for (const [pattern, target] of names)
      if (pattern.test(specifier))
        return next(pathToFileURL(specifier.replace(pattern, target)).href, context)
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.startsWith('file:')) {
      const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      if (!url.pathname.includes('/node_modules/') && existsSync(url)) return next(url.href, context)
    }
    return next(specifier, context)
  },
  load(url, context, next) {
    if (!/^file:.*\.ts(\?|$)/.test(url) || url.includes('/node_modules/') || url.includes('/scripts/mutate'))
      return next(url, context)
    const path = fileURLToPath(url.replace(/\?.*/, ''))
    let source = compiled.get(path)
    if (source === undefined) {
      source = compile(path)
      compiled.set(path, source)
    }
    return { format: 'module', source, shortCircuit: true }
  },
})

function compile(path: string): string {
  const name = relative(ROOT, path)
  const text = texts[name] ?? readFileSync(path, 'utf8')
  return transformSync(text, { filename: path, sourceMaps: false, module: { type: 'es6' } }).code
}
