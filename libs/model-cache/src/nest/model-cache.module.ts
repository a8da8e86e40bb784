import { type DynamicModule, Module } from '@nestjs/common'
import type { AnyModelCacheDefinition } from '../cache/definition.js'
import { DuplicateDefinitionError } from '../errors.js'
import { createAsyncRootModule, createRootModule } from './model-cache-core.module.js'
import type { ASYNC_OPTIONS_TYPE, OPTIONS_TYPE } from './model-cache.options.js'
import { createModelCacheProvider } from './model-cache.providers.js'
import { getModelCacheToken } from './model-cache.tokens.js'

/**
 * The module of the library: once `forRoot` in the root module, and `forFeature` wherever caches are injected.
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
   * Configures what all caches share. A value that cannot work stops the start with a ConfigurationError.
   *
   * An application with several databases has a root for each: one without a name, and others with one, `forRoot({ name: 'billing', … })`.
   */
  static forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return { module: ModelCacheModule, imports: [createRootModule(options)] }
  }

  /** Like `forRoot`, with options from a factory: `{ imports, inject, useFactory }`, `useClass` or `useExisting`
   * of a class with a method `create`. */
  static forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return {
      module: ModelCacheModule,
      imports: [createAsyncRootModule(options)],
    }
  }

  /**
   * Provides the caches of these definitions. A definition in several modules gives one cache.
   *
   * @param root the name of the root that they belong to. @default the unnamed one
   * @throws DuplicateDefinitionError when two of them have one name
   */
  static forFeature(definitions: readonly AnyModelCacheDefinition[], root?: string): DynamicModule {
    // Of two providers with one token Nest keeps the last without a word.
    const distinct = [...new Set(definitions)]
    const twice = distinct.find(({ name }, i) => distinct.findIndex((other) => other.name === name) < i)
    if (twice) throw new DuplicateDefinitionError(twice.name)
    return {
      module: ModelCacheModule,
      providers: distinct.map((definition) => createModelCacheProvider(definition, root)),
      exports: distinct.map((definition) => getModelCacheToken(definition, root)),
    }
  }
}
