import { PrismaPg } from '@prisma/adapter-pg'
import { type CacheRegistry, extendPrisma } from 'model-cache/prisma'
import { PrismaClient } from './generated/prisma/client.js'

export const createClient = ({ writes }: CacheRegistry) =>
  extendPrisma(
    new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) }),
    writes,
  )
