import { Module } from '@nestjs/common'
import { MetricsController } from './metrics.controller.js'
import { PrismaModule } from './prisma.module.js'
import { ShopController } from './shop.controller.js'

@Module({
  imports: [PrismaModule],
  controllers: [ShopController, MetricsController],
})
export class AppModule {}
