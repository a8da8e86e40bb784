import { Module } from '@nestjs/common'
import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import { productCache } from './caches'
import { PrismaService } from './prisma.service'
import { ProductController } from './product.controller'
import { ProductService } from './product.service'

/** The deadline is for busy machines. */
const valkey = { url: process.env.VALKEY_URL!, deadlineMs: 30_000 }

@Module({
  imports: [
    ModelCacheModule.forRoot({ prisma: PrismaService, valkey }),
    ModelCacheModule.forFeature([productCache]),
  ],
  controllers: [ProductController],
  providers: [ProductService, provideExtendedPrisma(PrismaService, { reads: 'all' })],
  exports: [PrismaService],
})
export class AppModule {}
