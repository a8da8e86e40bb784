import type { FactoryProvider, InjectionToken } from '@nestjs/common'
import type { ModelCacheWrites } from '../consistency/writes.js'
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
  // eslint-disable-next-line typescript/no-explicit-any -- as useFactory of Nest
  factory: (...dependencies: any[]) => Client | Promise<Client>,
  inject: NonNullable<FactoryProvider['inject']> = [],
  extendedOptions?: Options,
): FactoryProvider<ExtendedPrisma<Client, Options>> {
  const { root, ...options }: ExtendedPrismaOptions = extendedOptions ?? {}
  return {
    provide: token,
    inject: [getModelCacheWritesToken(root), ...inject],
    useFactory: async (writes: ModelCacheWrites, ...dependencies: unknown[]) =>
      extendPrisma(await factory(...dependencies), writes, options) as ExtendedPrisma<Client, Options>,
  }
}
