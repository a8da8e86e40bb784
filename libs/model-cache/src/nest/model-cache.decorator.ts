import { Inject } from '@nestjs/common'
import { getModelCacheToken } from './model-cache.tokens.js'

/**
 * Injects the cache of a definition.
 *
 * @param definition the definition or its name
 * @param root the name of the root that it is registered with. @default the unnamed root
 */
export const InjectModelCache = (
  definition: { readonly name: string } | string,
  root?: string,
): ReturnType<typeof Inject> => Inject(getModelCacheToken(definition, root))
