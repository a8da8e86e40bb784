import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, type ModelCacheWrites } from 'model-cache'
import { PrismaClient } from './generated/prisma/client.js'

export const createClient = (writes: ModelCacheWrites) =>
  extendPrisma(
    new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) }),
    writes,
  )
