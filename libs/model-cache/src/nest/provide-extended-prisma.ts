import type { FactoryProvider, InjectionToken } from '@nestjs/common'
import type { ModelCacheWrites } from '../consistency/writes.js'
import { extendPrisma, type ExtendPrismaOptions } from '../source/prisma/extend-prisma.js'
import { getModelCacheWritesToken } from './model-cache.tokens.js'

export interface ExtendedPrismaOptions extends ExtendPrismaOptions {
  /** The root whose caches hear of the writes. @default the unnamed one */
  readonly root?: string
}

/**
 * Provides a Prisma client whose writes reach the caches, under the token that `forRoot` is given as `prisma`.
 *
 * @param factory makes the client from what `inject` names
 * @example
 * ```ts
 * providers: [provideExtendedPrisma(PrismaService, (config: Config) => new PrismaService(config.url), [Config])]
 * ```
 */
export function provideExtendedPrisma<Client extends object>(
  token: InjectionToken<Client>,
  // eslint-disable-next-line typescript/no-explicit-any -- as useFactory of Nest
  factory: (...dependencies: any[]) => Client | Promise<Client>,
  inject: NonNullable<FactoryProvider['inject']> = [],
  { root, ...options }: ExtendedPrismaOptions = {},
): FactoryProvider<Client> {
  return {
    provide: token,
    inject: [getModelCacheWritesToken(root), ...inject],
    useFactory: async (writes: ModelCacheWrites, ...dependencies: unknown[]) =>
      extendPrisma(await factory(...dependencies), writes, options),
  }
}
