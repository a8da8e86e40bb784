import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { PrismaModule } from 'data'

@Module({ imports: [PrismaModule] })
class AppModule {}

try {
  await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false })
} catch (error) {
  console.log((error as { code?: string }).code, String(error))
}
