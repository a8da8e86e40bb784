import { Inject } from '@nestjs/common'
import { getModelCacheToken } from './model-cache.tokens.js'

/** Injects the cache of a definition, or of the definition of this name, of the unnamed root or of the one named `root`. */
export const InjectModelCache = (
  definition: { readonly name: string } | string,
  root?: string,
): ReturnType<typeof Inject> => Inject(getModelCacheToken(definition, root))
