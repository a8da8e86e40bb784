import { Injectable } from '@nestjs/common'
import { PrismaClient } from '#prisma/client/client.js'

/** The application's Prisma client; DatabaseModule makes it on whichever database is configured. */
@Injectable()
export class PrismaService extends PrismaClient {}
