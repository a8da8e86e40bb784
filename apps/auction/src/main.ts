import { Injectable } from '@nestjs/common'
import { PrismaClient } from '#prisma/client/client.js'
@Injectable()
export class X { constructor(readonly p: PrismaClient) {} }
