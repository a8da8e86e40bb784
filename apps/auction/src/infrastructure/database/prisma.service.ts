import { Injectable } from '@nestjs/common'
import { PrismaClient } from '#prisma/client/client.js'

/** The application's Prisma client, on the configured database. */
@Injectable()
export class PrismaService extends PrismaClient {}
