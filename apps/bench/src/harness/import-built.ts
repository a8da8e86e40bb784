/**
 * Makes a process import the library and prisma/ from the build of a test: `--import` this file, with the library's entry
 * point in MODEL_CACHE_BUILT. So a test does not change a build that others may be reading.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const library = dirname(process.env.MODEL_CACHE_BUILT!)
const prisma = join(library, '../../prisma')
const manifest = readFileSync(join(import.meta.dirname, '../../../../libs/model-cache/package.json'), 'utf8')
const { exports } = JSON.parse(manifest) as { exports: Record<string, { default: string } | undefined> }

registerHooks({
  resolve(specifier, context, next) {
    const entry = /^model-cache(?=\/|$)/.test(specifier) && exports[specifier.replace('model-cache', '.')]
    if (entry) return next(pathToFileURL(join(library, entry.default.replace('dist/esm/', ''))).href, context)
    const demo = /^#prisma\/(.+\.js)$/.exec(specifier)
    return next(demo ? pathToFileURL(join(prisma, demo[1]!)).href : specifier, context)
  },
})
