import { Global, Module } from '@nestjs/common'
import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import { productCache } from './caches.js'
import { PrismaService } from './prisma.service.js'

const valkey = { url: process.env.VALKEY_URL! }

@Global()
@Module({
  imports: [
    ModelCacheModule.forRoot({ prisma: PrismaService, valkey }),
    ModelCacheModule.forFeature([productCache]),
  ],
  providers: [provideExtendedPrisma(PrismaService, { reads: 'all' })],
  exports: [PrismaService],
})
export class PrismaModule {}
