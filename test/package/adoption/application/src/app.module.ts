import { Module } from '@nestjs/common'
import { AppController } from './app.controller.js'
import { AppService } from './app.service.js'
import { MetricsController } from './metrics.controller.js'
import { PrismaModule } from './prisma.module.js'
import { ShopController } from './shop.controller.js'

@Module({
  imports: [PrismaModule],
  controllers: [AppController, ShopController, MetricsController],
  providers: [AppService],
})
export class AppModule {}
