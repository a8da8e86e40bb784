import { Inject } from '@nestjs/common'
import { getModelCacheToken } from './model-cache.tokens.js'

/** Injects the cache of a definition, or of the definition of this name. */
export const InjectModelCache = (definition: { readonly name: string } | string): ReturnType<typeof Inject> =>
  Inject(getModelCacheToken(definition))
