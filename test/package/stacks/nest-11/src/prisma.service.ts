import { Injectable, type OnModuleDestroy } from '@nestjs/common'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './prisma-client'

@Injectable()
export class PrismaService extends PrismaClient implements OnModuleDestroy {
  queries = 0

  constructor() {
    const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL })
    super({ adapter, log: [{ emit: 'event', level: 'query' }] })
    this.$on('query' as never, () => this.queries++)
  }

  async onModuleDestroy() {
    await this.$disconnect()
  }
}
