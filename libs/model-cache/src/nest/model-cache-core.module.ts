import { type DynamicModule, Global, Module } from '@nestjs/common'
import { EventLoopModule } from '@model-cache/event-loop'
import { Slicer } from '@model-cache/event-loop/internal'
import { ModelCacheWrites } from '../protocol/index.js'
import { invalidOptionError } from '../configuration-errors.js'
import {
  type ASYNC_OPTIONS_TYPE,
  eventLoopOptionsOf,
  MODEL_CACHE_OPTIONS,
  ModelCacheOptionsModuleClass,
  type OPTIONS_TYPE,
  type RootName,
} from './model-cache.options.js'
import { createRootProviders, slicerProvider } from './model-cache.providers.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import { MODEL_CACHE_STATE, MODEL_CACHE_STORE } from './model-cache.tokens.js'

/** Provides the options of one root to its other modules. */
@Module({ exports: [MODEL_CACHE_OPTIONS] })
class OptionsModule extends ModelCacheOptionsModuleClass {}

/** The caches of the unnamed root, and the slicer that all roots share. */
@Global()
@Module({
  providers: [slicerProvider, ...createRootProviders(undefined)],
  exports: [ModelCacheRegistry, ModelCacheWrites, Slicer, MODEL_CACHE_STATE, MODEL_CACHE_STORE],
})
class CoreModule {}

/** The caches of a named root. */
@Global()
@Module({})
class NamedCoreModule {}

/** @throws ConfigurationError when the name of the root is invalid */
export function createRootModule(options: typeof OPTIONS_TYPE): DynamicModule {
  return rootModule(OptionsModule.forRoot(options), options)
}

/** @throws ConfigurationError when the name of the root is invalid */
export function createAsyncRootModule(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
  return rootModule(OptionsModule.forRootAsync(options), options)
}

function rootModule(optionsModule: DynamicModule, { name }: RootName): DynamicModule {
  if (name === undefined) {
    const eventLoop = EventLoopModule.forRootAsync({
      imports: [optionsModule],
      inject: [MODEL_CACHE_OPTIONS],
      useFactory: eventLoopOptionsOf,
    })
    return { module: CoreModule, imports: [optionsModule, eventLoop] }
  }
  if (typeof name !== 'string' || !/^[A-Za-z][\w.-]*$/.test(name)) {
    throw invalidOptionError('name', name, 'a letter, then letters, digits, "_", "-" or "."')
  }
  const providers = createRootProviders(name)
  return {
    module: NamedCoreModule,
    imports: [optionsModule],
    providers,
    exports: providers.map(({ provide }) => provide),
  }
}
