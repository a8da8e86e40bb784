import { type DynamicModule, Global, Module } from '@nestjs/common'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import {
  duplicateDefinitionError,
  invalidOptionError,
  moduleOptionsError,
  undefinedImportError,
} from '../configuration-errors.js'
import {
  type ASYNC_OPTIONS_TYPE,
  type OPTIONS_TYPE,
  eventLoopOptionsOf,
  MODEL_CACHE_OPTIONS,
  ModelCacheOptionsModuleClass,
  type RootName,
} from './model-cache.options.js'
import { createModelCacheProvider, createRootProviders, slicerProvider } from './model-cache.providers.js'
import { getModelCacheToken } from './model-cache.tokens.js'
import { EventLoopModule } from '@model-cache/event-loop'
import { type ModuleWithOptions, verifyOptions, withVerifiedOptions } from '@model-cache/event-loop/internal'

const own: ModuleWithOptions = {
  name: 'ModelCacheModule',
  token: MODEL_CACHE_OPTIONS,
  beside: ['name'],
  errorOf: moduleOptionsError,
}

/** Provides the options of one root to its other modules. */
@Module({ exports: [MODEL_CACHE_OPTIONS] })
class OptionsModule extends ModelCacheOptionsModuleClass {}

/** The caches of a root; that without a name has the slicer that all roots share. */
@Global()
@Module({})
class CoreModule {}

/** @throws ConfigurationError when the name of the root is invalid */
function rootModule(optionsModule: DynamicModule, { name }: RootName): DynamicModule {
  if (name !== undefined && (typeof name !== 'string' || !/^[A-Za-z][\w.-]*$/.test(name))) {
    throw invalidOptionError('name', name, 'a letter, then letters, digits, "_", "-" or "."')
  }
  const imports = [optionsModule]
  const providers = createRootProviders(name)
  if (name === undefined) {
    const eventLoop = EventLoopModule.forRootAsync({
      imports: [optionsModule],
      inject: [MODEL_CACHE_OPTIONS],
      useFactory: eventLoopOptionsOf,
    })
    imports.push(eventLoop)
    providers.push(slicerProvider)
  }
  return { module: CoreModule, imports, providers, exports: providers.map(({ provide }) => provide) }
}

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
    verifyOptions(own, options)
    return { module: ModelCacheModule, imports: [rootModule(OptionsModule.forRoot(options), options)] }
  }

  /**
   * Like `forRoot`, with options from a factory: `{ imports, inject, useFactory }`, or `useClass` or `useExisting` of
   * a class with a method `create`.
   */
  static forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const provided = withVerifiedOptions(own, OptionsModule.forRootAsync(options), options)
    return { module: ModelCacheModule, imports: [rootModule(provided, options)] }
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
