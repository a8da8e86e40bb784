/** Which files specs load, by the imports of their texts: a spec that loads nothing of a folder need not run for it. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathOf, ROOT } from './module-names.ts'

const IMPORT =
  /^(?:import|export)\s(?!type\b)[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm
/** What it names is only known when it runs. */
const UNKNOWN_IMPORT = /\bimport\(\s*[^'\s]/

/** By path: the paths that a file imports. */
const known = new Map<string, readonly string[]>()

/** @param files relative to the repository, like the spec */
export function mayLoad(spec: string, files: ReadonlySet<string>): boolean {
  const path = join(ROOT, spec)
  if (UNKNOWN_IMPORT.test(readFileSync(path, 'utf8'))) return true
  const seen = new Set([path])
  for (const each of seen) {
    if (files.has(relative(ROOT, each))) return true
    for (const imported of importsOf(each)) seen.add(imported)
  }
  return false
}

function importsOf(path: string): readonly string[] {
  let imports = known.get(path)
  if (!imports) {
    imports = [...readFileSync(path, 'utf8').matchAll(IMPORT)].flatMap(
      ([, from, bare, dynamic]) => pathOf((from ?? bare ?? dynamic)!, path) ?? [],
    )
    known.set(path, imports)
  }
  return imports
}
