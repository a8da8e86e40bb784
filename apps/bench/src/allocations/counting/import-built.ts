/**
 * Lets a process import the library from where MODEL_CACHE_BUILT says, and the demo's rows from their sources, so that a test needs
 * no build that others may be reading: `--import` of this file.
 */
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const built = dirname(process.env.MODEL_CACHE_BUILT!)
const prisma = join(import.meta.dirname, '../../../../../prisma')
const inPrisma = pathToFileURL(join(prisma, '/')).href

registerHooks({
  resolve(specifier, context, next) {
    const library = /^model-cache(?:\/(\w+))?$/.exec(specifier)
    if (library) return next(pathToFileURL(join(built, library[1] ?? '', 'index.js')).href, context)
    const demo = /^#prisma\/(.+)\.js$/.exec(specifier)
    if (demo) return next(pathToFileURL(join(prisma, `${demo[1]}.ts`)).href, context)
    const isSource = specifier.startsWith('.') && context.parentURL?.startsWith(inPrisma)
    return next(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, context)
  },
})
