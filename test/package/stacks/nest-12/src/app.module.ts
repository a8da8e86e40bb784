import { Module } from '@nestjs/common'
import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import { productCache } from './caches.js'
import { PrismaService } from './prisma.service.js'
import { ProductController } from './product.controller.js'
import { ProductService } from './product.service.js'

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
