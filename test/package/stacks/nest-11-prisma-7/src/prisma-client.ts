export { Prisma, PrismaClient } from './generated/prisma/client'
