import { Global, Inject, Module } from '@nestjs/common'
import type { OnApplicationShutdown } from '@nestjs/common'
import { provideExtendedPrisma } from 'model-cache'
import type { Database } from '#prisma/database.js'
import { APP_CONFIG } from '../../config/app-config.js'
import { openAppDatabase } from './open-app-database.js'
import { PrismaService } from './prisma.service.js'

/** Injection token of the Database that PrismaService uses. */
export const DATABASE = Symbol('DATABASE')

@Global()
@Module({
  providers: [
    { provide: DATABASE, inject: [APP_CONFIG], useFactory: openAppDatabase },
    // Invalidates the caches of the rows that are written through it, and answers queries from them.
    provideExtendedPrisma(
      PrismaService,
      ({ adapter, Client }: Database): PrismaService => new Client({ adapter }),
      [DATABASE],
      { reads: 'all' },
    ),
  ],
  exports: [DATABASE, PrismaService],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly prisma: PrismaService,
  ) {}

  /** Runs after the server has answered its last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect()
    await this.database.close()
  }
}
