/**
 * Makes a process import the packages of libs/, and prisma/, from the build of a test: `--import` this file, with the entry point of
 * `model-cache` in MODEL_CACHE_BUILT. So a test does not change a build that others may be reading.
 */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const library = process.env.MODEL_CACHE_BUILT!
const prisma = join(library, '../../../../../prisma')

registerHooks({
  resolve(specifier, context, next) {
    if (/^@?model-cache(?=\/|$)/.test(specifier))
      return next(specifier, { ...context, parentURL: pathToFileURL(library).href })
    const demo = /^#prisma\/(.+\.js)$/.exec(specifier)
    return next(demo ? pathToFileURL(join(prisma, demo[1]!)).href : specifier, context)
  },
})
