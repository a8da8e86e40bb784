export { Prisma, PrismaClient } from '@prisma/client'
