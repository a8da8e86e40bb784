import { Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { PrismaModule, PrismaService, productCache } from 'data'
import { type CacheOf, InjectModelCache } from 'model-cache'

@Injectable()
class Shop {
  constructor(
    private readonly prisma: PrismaService,
    @InjectModelCache(productCache) private readonly products: CacheOf<typeof productCache>,
  ) {}

  async rename(id: number, name: string): Promise<void> {
    console.log('before:', (await this.products.get(id))?.name)
    await this.prisma.product.update({ where: { id }, data: { name } })
    console.log('after:', (await this.products.get(id))?.name)
  }
}

@Module({ imports: [PrismaModule], providers: [Shop] })
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['warn', 'error'] })
await app.get(Shop).rename(1, 'Chai')
await app.close()
