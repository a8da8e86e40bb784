export { productCache } from './caches.js'
export { PrismaModule } from './prisma.module.js'
export { PrismaService } from './prisma.service.js'
