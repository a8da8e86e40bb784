import { Module } from '@nestjs/common'
import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import { productCache } from './caches'
import { PrismaService } from './prisma.service'
import { ProductController } from './product.controller'
import { ProductService } from './product.service'

const valkey = { url: process.env.VALKEY_URL! }

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
