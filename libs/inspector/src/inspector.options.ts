import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common'
import type { IncomingHttpHeaders } from 'node:http'
import { invalidOptionError } from 'model-cache/internal'
import type { PermissionOptions } from './permissions.js'

/** The options of `ModelCacheInspectorModule.forRoot`, beside {@link InspectorMount}. */
export interface InspectorOptions extends PermissionOptions {
  /** Where the process runs, such as `'production'`, for the header of the page. @default `NODE_ENV` */
  readonly environment?: string
  /**
   * Returns who makes a request, for the log of actions, or a promise of it; `undefined` for a user without a name. Nothing is
   * invalidated if it throws or rejects. @default the `id`, `email`, `name`, `username` or `sub` of the `user` that a guard has put into
   * the request
   */
  user?(request: { readonly headers: IncomingHttpHeaders }): string | undefined | Promise<string | undefined>
}

/** Where the inspector is, and who may use it. With `forRootAsync`, these stand beside the factory. */
export interface InspectorMount {
  /** The path of the page, below the global prefix of the application. @default `'inspector'` */
  readonly path?: string
  /**
   * Guards of the page and its API: classes, which Nest creates with the providers of `imports` and of global modules, or instances. With
   * `NODE_ENV=production` the application does not start without one. @default none
   */
  readonly guards?: readonly (Type<CanActivate> | CanActivate)[]
  /** Modules that export what the guards need. @default none */
  readonly imports?: ModuleMetadata['imports']
}

/** One path, whose last part starts the relative URLs of the page. */
export function validPath(path: unknown): string {
  const trimmed = typeof path === 'string' ? path.replaceAll(/^\/+|\/+$/g, '') : ''
  if (/^[\w.~-]+(?:\/[\w.~-]+)*$/.test(trimmed)) return trimmed
  throw invalidOptionError(
    'path',
    path,
    "a path of letters, digits, '.', '_', '~', '-' and '/', such as 'admin/inspector'",
  )
}
