import 'reflect-metadata'
import { type DynamicModule, Module } from '@nestjs/common'
import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'

export const PRISMA = Symbol('the extended client')

class PrismaModule {}
Module({})(PrismaModule)
class ApplicationModule {}
Module({})(ApplicationModule)

type RootOptions = Omit<Parameters<typeof ModelCacheModule.forRoot>[0], 'prisma'>

export interface ApplicationOptions extends RootOptions {
  /** Opens a plain client. */
  readonly open: () => PrismaClient
  /** Whether queries of the client are answered from caches. */
  readonly reads?: 'all'
  readonly definitions: Parameters<typeof ModelCacheModule.forFeature>[0]
  readonly imports?: readonly DynamicModule[]
}

/** An application with caches and an extended client, as docs/getting-started.md has it. */
export function moduleOf({
  definitions,
  imports = [],
  open,
  reads,
  ...root
}: ApplicationOptions): DynamicModule {
  const providers = [provideExtendedPrisma(PRISMA, open, [], reads && { reads })]
  return {
    module: ApplicationModule,
    imports: [
      { module: PrismaModule, global: true, providers, exports: [PRISMA] },
      ModelCacheModule.forRoot({ prisma: PRISMA, ...root } as Parameters<typeof ModelCacheModule.forRoot>[0]),
      ModelCacheModule.forFeature(definitions),
      ...imports,
    ],
  }
}
