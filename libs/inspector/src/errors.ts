import { ConfigurationError } from 'model-cache'

/** An option of the inspector names a cache that the application does not have. */
export function unknownCacheError(
  option: string,
  name: string,
  known: readonly string[],
): ConfigurationError {
  return new ConfigurationError(
    'E_UNKNOWN_CACHE',
    `model-cache: option "${option}" names the cache ${JSON.stringify(name)}, and this application has ` +
      `${known.join(', ') || 'none'}. Correct the name; a cache of a named root is 'root:Name'.`,
  )
}

/** There are no caches to inspect. */
export function missingCachesError(): ConfigurationError {
  return new ConfigurationError(
    'E_MISSING_CACHES',
    'model-cache: ModelCacheInspectorModule was imported, but no ModelCacheModule.forRoot whose caches it could show. Import ' +
      'ModelCacheModule.forRoot({ prisma: PrismaService, valkey: { url } }) once, in the root module.',
  )
}

/** The inspector would be open to everyone in production. */
export function unguardedInspectorError(): ConfigurationError {
  return new ConfigurationError(
    'E_UNGUARDED_INSPECTOR',
    'model-cache: ModelCacheInspectorModule has no guards, and NODE_ENV is "production". Everyone who reaches the application ' +
      'would see its caches. Give forRoot (or forRootAsync, beside the factory) `guards: [AdminGuard]`, a guard of your own.',
  )
}
