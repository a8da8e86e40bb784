/**
 * Loads the repository's TypeScript as Jest does, but as modules of Node itself: compiled by SWC, with the module names of jest.config.js,
 * and instrumented texts in place of the files they were made of. `MUTATE_TEXTS` names the JSON file that has those texts.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transformSync } from '@swc/core'
import { pathOf, ROOT } from './module-names.ts'

/** What SWC has made of texts: each process loads some hundred of them. */
const COMPILED = join(ROOT, 'dist/mutate/compiled')
const JEST_GLOBALS = pathToFileURL(join(import.meta.dirname, 'jest-globals.ts')).href
const texts = JSON.parse(readFileSync(process.env.MUTATE_TEXTS!, 'utf8')) as Record<string, string>
const compiled = new Map<string, string>()
mkdirSync(COMPILED, { recursive: true })

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return next(JEST_GLOBALS, context)
    const { parentURL } = context
    const importer = parentURL?.startsWith('file:') ? fileURLToPath(parentURL.replace(/\?.*/, '')) : undefined
    const path = pathOf(specifier, importer)
    return next(path ? pathToFileURL(path).href : specifier, context)
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
  const text = texts[relative(ROOT, path)] ?? readFileSync(path, 'utf8')
  const file = join(COMPILED, createHash('sha256').update(path).update(text).digest('hex').slice(0, 32))
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const { code } = transformSync(text, { filename: path, sourceMaps: false, module: { type: 'es6' } })
  // Whole, or not at all: others compile the same text now.
  writeFileSync(`${file}.${process.pid}`, code)
  renameSync(`${file}.${process.pid}`, file)
  return code
}
