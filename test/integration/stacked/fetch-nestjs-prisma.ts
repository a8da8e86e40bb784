/**
 * `nestjs-prisma`, downloaded on the first call ever. It is no devDependency: its peer range ends at Nest 11, so that npm refuses it beside
 * Nest 12, and it depends on Angular's schematics, which only `nest add` needs.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DynamicModule, Type } from '@nestjs/common'
import type { PrismaClient } from '@prisma/client'
import { fillOnce } from '../../support/fill-once.js'
import { downloadPackage } from '../../support/npm-package.js'

/** To move to another version: `npm view nestjs-prisma@X dist.integrity`. */
const VERSION = '0.27.0'
const INTEGRITY =
  'sha512-rCqkBbT+/2/IPdLJL2KD50uR4Rc9X5LFRDvTSPkd2SfGoF3nE3iMQ9as0to8fqU4ipk/7/Y9aFO+WTYUbES0Sg=='

// Below node_modules, where it finds Nest and Prisma.
const FOLDER = join(import.meta.dirname, `../../../node_modules/.cache/model-cache/nestjs-prisma-${VERSION}`)

/** What the tests use of it. */
export interface NestjsPrisma {
  readonly PrismaService: Type<PrismaClient>
  readonly PrismaModule: { forRoot(options: object): DynamicModule }
  readonly CustomPrismaModule: { forRootAsync(options: object): DynamicModule }
}

export async function fetchNestjsPrisma(): Promise<NestjsPrisma> {
  await fillOnce(FOLDER, async (empty) => {
    await downloadPackage({ spec: `nestjs-prisma@${VERSION}`, integrity: INTEGRITY }, empty)
  })
  return createRequire(import.meta.url)(join(FOLDER, 'package')) as NestjsPrisma
}
