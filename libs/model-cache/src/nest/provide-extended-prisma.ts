import type { FactoryProvider, InjectionToken } from '@nestjs/common'
import type { ModelCacheWrites } from '../protocol/index.js'
import {
  invalidOptionError,
  missingRootOfPrismaError,
  undefinedImportError,
} from '../configuration-errors.js'
import {
  type ExtendedPrisma,
  extendPrisma,
  type ExtendPrismaOptions,
} from '../source/prisma/extend-prisma.js'
import { getModelCacheWritesToken } from './model-cache.tokens.js'

export interface ExtendedPrismaOptions extends ExtendPrismaOptions {
  /** The name of the root whose caches the writes invalidate. @default the unnamed root */
  readonly root?: string
}

/**
 * Provides a Prisma client whose writes invalidate the caches. Use the token that `forRoot` has as `prisma`.
 *
 * @param token a class without constructor parameters, of which the client is an instance
 * @throws ConfigurationError
 * @example
 * ```ts
 * providers: [provideExtendedPrisma(PrismaService, { reads: 'all' })]
 * ```
 */
export function provideExtendedPrisma<
  Client extends object,
  Options extends ExtendedPrismaOptions = ExtendedPrismaOptions,
>(token: new () => Client, options?: Options): FactoryProvider<ExtendedPrisma<Client, Options>>
/**
 * Provides a Prisma client whose writes invalidate the caches. Use the token that `forRoot` has as `prisma`.
 *
 * @param token the token to provide the client under
 * @param factory creates the client; it receives the providers that `inject` lists
 * @example
 * ```ts
 * providers: [provideExtendedPrisma(PrismaService, (config: Config) => new PrismaService(config.url), [Config])]
 * ```
 */
export function provideExtendedPrisma<
  Client extends object,
  Options extends ExtendedPrismaOptions = ExtendedPrismaOptions,
>(
  token: InjectionToken<Client>,
  factory: Factory<Client>,
  inject?: NonNullable<FactoryProvider['inject']>,
  options?: Options,
): FactoryProvider<ExtendedPrisma<Client, Options>>
export function provideExtendedPrisma<Client extends object, Options extends ExtendedPrismaOptions>(
  token: InjectionToken<Client>,
  given?: Factory<Client> | Options,
  inject: NonNullable<FactoryProvider['inject']> = [],
  last?: Options,
): FactoryProvider<ExtendedPrisma<Client, Options>> {
  if (token === undefined)
    throw undefinedImportError(
      'the token of provideExtendedPrisma',
      'the class of the Prisma client, or a token',
    )
  const isFactory = typeof given === 'function'
  if (!isFactory && typeof token !== 'function') {
    throw invalidOptionError(
      'factory',
      given,
      'a function that creates the client, unless the token is a class',
    )
  }
  const factory = isFactory ? (given as Factory<Client>) : () => new (token as new () => Client)()
  const { root, ...options }: ExtendedPrismaOptions = (isFactory ? last : (given as Options)) ?? {}
  return {
    provide: token,
    // Optional, so that a missing forRoot is reported by the library and not by Nest.
    inject: [{ token: getModelCacheWritesToken(root), optional: true }, ...inject],
    useFactory: async (writes: ModelCacheWrites | undefined, ...dependencies: unknown[]) => {
      if (!writes)
        throw missingRootOfPrismaError(typeof token === 'function' ? token.name : String(token), root)
      return extendPrisma(await factory(...dependencies), writes, options) as ExtendedPrisma<Client, Options>
    },
  }
}

// eslint-disable-next-line typescript/no-explicit-any -- as useFactory of Nest
type Factory<Client> = (...dependencies: any[]) => Client | Promise<Client>
