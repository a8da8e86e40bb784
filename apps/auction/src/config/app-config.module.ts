import { Global, Module } from '@nestjs/common'
import type { DynamicModule } from '@nestjs/common'
import { APP_CONFIG } from './app-config.js'
import type { AppConfig } from './app-config.js'

@Global()
@Module({})
export class AppConfigModule {
  static register(config: AppConfig): DynamicModule {
    return {
      module: AppConfigModule,
      providers: [{ provide: APP_CONFIG, useValue: config }],
      exports: [APP_CONFIG],
    }
  }
}
