import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common'
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core'
import { type ModuleWithOptions, verifyOptions, withVerifiedOptions } from '@model-cache/event-loop/internal'
import { moduleOptionsError } from 'model-cache/internal'
import { unguardedInspectorError } from './errors.js'
import { routeFurtherPaths } from './http/mount.js'
import type { InspectorPage } from './http/page.controller.js'
import { Inspector, rootsIn } from './inspector.js'
import {
  type INSPECTOR_ASYNC_OPTIONS_TYPE,
  type INSPECTOR_OPTIONS_TYPE,
  InspectorModuleClass,
} from './inspector.module-class.js'
import type { InspectorMount, InspectorOptions } from './inspector.options.js'
import { inspectorProviders } from './inspector.providers.js'
import { INSPECTOR_MOUNT, INSPECTOR_OPTIONS, INSPECTOR_PAGE } from './inspector.tokens.js'
import { verifyPermissions } from './permissions.js'

const own: ModuleWithOptions = {
  name: 'ModelCacheInspectorModule',
  token: INSPECTOR_OPTIONS,
  beside: ['path', 'guards', 'imports'],
  errorOf: moduleOptionsError,
}

/**
 * Serves the inspector, a page and a JSON API which show what the caches of all processes hold and do. It requires
 * `ModelCacheModule.forRoot`.
 *
 * @example
 * ```ts
 * @Module({ imports: [ModelCacheInspectorModule.forRoot({ guards: [AdminGuard], imports: [AuthModule] })] })
 * export class AppModule {}
 * ```
 */
@Module({ providers: inspectorProviders, exports: [Inspector] })
export class ModelCacheInspectorModule
  extends InspectorModuleClass
  implements NestModule, OnApplicationBootstrap
{
  /** @throws ConfigurationError in production without guards */
  constructor(
    @Inject(INSPECTOR_MOUNT) { path, guards }: Required<InspectorMount>,
    @Inject(INSPECTOR_OPTIONS) private readonly options: InspectorOptions,
    @Inject(INSPECTOR_PAGE) private readonly page: Type<InspectorPage>,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    super()
    if (guards.length > 0) return
    if (process.env.NODE_ENV === 'production') throw unguardedInspectorError()
    new Logger('ModelCache').warn(
      `The inspector at "${path}" has no guards: everyone who reaches this application sees its caches. ` +
        'With NODE_ENV=production it would not start.',
    )
  }

  /**
   * Mounts the inspector.
   *
   * @throws ConfigurationError when the path is invalid
   */
  static override forRoot(options: typeof INSPECTOR_OPTIONS_TYPE = {}): DynamicModule {
    verifyOptions(own, options)
    return super.forRoot(options)
  }

  /**
   * Like `forRoot`, with `show`, `actions` and `user` from a factory: `{ imports, inject, useFactory }`, or `useClass` or
   * `useExisting` of a class with a method `create`. `path` and `guards` stand beside it.
   */
  static override forRootAsync(options: typeof INSPECTOR_ASYNC_OPTIONS_TYPE): DynamicModule {
    return withVerifiedOptions(own, super.forRootAsync(options), options)
  }

  /** Nest calls this before it reads the routes of controllers, and once it knows the platform. */
  configure(): void {
    routeFurtherPaths(this.page, this.host.httpAdapter.getType())
  }

  /** All caches are known by now, but for those of lazily loaded modules. */
  onApplicationBootstrap(): void {
    const caches = rootsIn(this.modules).flatMap(({ caches, name: root = null }) =>
      [...caches().keys()].map((name) => ({ name, root })),
    )
    verifyPermissions(this.options, caches)
  }
}
