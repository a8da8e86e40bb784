import { type DynamicModule, Module } from '@nestjs/common'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import {
  duplicateDefinitionError,
  invalidOptionError,
  undefinedImportError,
} from '../configuration-errors.js'
import { createAsyncRootModule, createRootModule } from './model-cache-core.module.js'
import type { ASYNC_OPTIONS_TYPE, OPTIONS_TYPE } from './model-cache.options.js'
import { createModelCacheProvider } from './model-cache.providers.js'
import { getModelCacheToken } from './model-cache.tokens.js'

/**
 * Registers caches: import `forRoot` once, in the root module, and `forFeature` wherever you like, for instance where the Prisma client
 * is provided. All modules can inject the caches.
 *
 * @example
 * ```ts
 * @Module({ imports: [ModelCacheModule.forRoot({ valkey: { url }, prisma: PrismaService }), UserModule] })
 * export class AppModule {}
 *
 * @Module({ imports: [ModelCacheModule.forFeature([userCache])], providers: [UserResolver] })
 * export class UserModule {}
 * ```
 */
@Module({})
export class ModelCacheModule {
  /**
   * Configures what all caches share. With an invalid value, the application does not start (ConfigurationError).
   *
   * An application with several databases imports one root for each: one without a name, the others with a name,
   * `forRoot({ name: 'billing', … })`.
   */
  static forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return { module: ModelCacheModule, imports: [createRootModule(options)] }
  }

  /**
   * Like `forRoot`, with options from a factory: `{ imports, inject, useFactory }`, or `useClass` or `useExisting` of
   * a class with a method `create`.
   */
  static forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return {
      module: ModelCacheModule,
      imports: [createAsyncRootModule(options)],
    }
  }

  /**
   * Provides the caches of these definitions to all modules. Several modules may register one definition: it has one cache.
   *
   * @param definitions a list, or a module that exports nothing else: `import * as caches from './caches.js'`
   * @param root the name of the root that the caches belong to. @default the unnamed root
   * @throws ConfigurationError when two definitions have the same name
   */
  static forFeature(
    definitions: readonly AnyModelCacheDefinition[] | Readonly<Record<string, AnyModelCacheDefinition>>,
    root?: string,
  ): DynamicModule {
    if (definitions === undefined) throw undefinedImportError('what forFeature takes', 'definitions')
    for (const [name, definition] of Object.entries(definitions)) verifyDefined(name, definition)
    // Nest silently keeps the last of two providers with the same token.
    const distinct = [...new Set(Object.values(definitions) as AnyModelCacheDefinition[])]
    const twice = distinct.find(({ name }, i) => distinct.findIndex((other) => other.name === name) < i)
    if (twice) throw duplicateDefinitionError(twice.name)
    return {
      module: ModelCacheModule,
      // A definition has one cache wherever it is registered, so no module needs to import it from another.
      global: true,
      providers: distinct.map((definition) => createModelCacheProvider(definition, root)),
      exports: distinct.map((definition) => getModelCacheToken(definition, root)),
    }
  }
}

/** @throws ConfigurationError unless it is a definition */
function verifyDefined(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'ttlMs' in value) return
  const expected =
    'a definition, as `defineModelCache` returns it: forFeature takes a list of them, or a module that exports nothing else'
  if (value === undefined) throw undefinedImportError(`option "forFeature.${name}"`, expected)
  throw invalidOptionError(`forFeature.${name}`, value, expected)
}
