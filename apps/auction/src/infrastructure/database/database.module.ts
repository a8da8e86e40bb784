import { Global, Inject, Module } from '@nestjs/common'
import type { OnApplicationShutdown } from '@nestjs/common'
import { provideExtendedPrisma } from 'model-cache'
import type { Database } from '#prisma/database.js'
import { APP_CONFIG } from '../../config/app-config.js'
import { openAppDatabase } from './open-app-database.js'
import { PrismaService } from './prisma.service.js'

/** Token of the Database: what lies under PrismaService. */
export const DATABASE = Symbol('DATABASE')

@Global()
@Module({
  providers: [
    { provide: DATABASE, inject: [APP_CONFIG], useFactory: openAppDatabase },
    // What is written through it is taken out of the caches, before the commit and after it.
    provideExtendedPrisma(PrismaService, ({ adapter }: Database) => new PrismaService({ adapter }), [
      DATABASE,
    ]),
  ],
  exports: [DATABASE, PrismaService],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly prisma: PrismaService,
  ) {}

  /** At the very end, when the server has answered its last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect()
    await this.database.close()
  }
}
