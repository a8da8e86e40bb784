import 'reflect-metadata'
import { type DynamicModule, Module } from '@nestjs/common'
import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'

export const PRISMA = Symbol('the extended client')
export const PRIMARY = Symbol('the extended client that writes, where the other one reads from a standby')

class PrismaModule {}
Module({})(PrismaModule)
class ApplicationModule {}
Module({})(ApplicationModule)

type RootOptions = Omit<Parameters<typeof ModelCacheModule.forRoot>[0], 'prisma' | 'primary'>

export interface ApplicationOptions extends RootOptions {
  /** Opens a plain client. */
  readonly open: () => PrismaClient
  /** Opens that of the primary, where `open` leads to a standby. */
  readonly openPrimary?: () => PrismaClient
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
  openPrimary,
  reads,
  ...root
}: ApplicationOptions): DynamicModule {
  const client = provideExtendedPrisma(PRISMA, open, [], {
    ...(reads && { reads }),
    ...(openPrimary && { replica: true }),
  })
  const providers = openPrimary ? [client, provideExtendedPrisma(PRIMARY, openPrimary)] : [client]
  return {
    module: ApplicationModule,
    imports: [
      { module: PrismaModule, global: true, providers, exports: providers },
      ModelCacheModule.forRoot({
        prisma: PRISMA,
        ...(openPrimary && { primary: PRIMARY }),
        ...root,
      } as Parameters<typeof ModelCacheModule.forRoot>[0]),
      ModelCacheModule.forFeature(definitions),
      ...imports,
    ],
  }
}
