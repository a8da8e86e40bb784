import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common'
import { PrismaPg } from '@prisma/adapter-pg'
import { Counter } from 'prom-client'
import { PrismaClient } from './generated/prisma/client.js'

const queries = new Counter({ name: 'database_queries_total', help: 'Statements that Prisma sent' })

@Injectable()
export class PrismaService extends PrismaClient implements OnModuleInit, OnModuleDestroy {
  constructor() {
    const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL })
    super({ adapter, log: [{ emit: 'event', level: 'query' }] })
    this.$on('query' as never, () => queries.inc())
  }

  async onModuleInit() {
    await this.$connect()
  }

  async onModuleDestroy() {
    await this.$disconnect()
  }
}
