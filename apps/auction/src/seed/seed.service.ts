import { Inject, Injectable } from '@nestjs/common'
import type { Database } from '#prisma/database.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { importFile } from '#prisma/import/import-file.js'
import type { ImportResult } from '#prisma/import/import-file.js'
import { DATABASE } from '../infrastructure/database/database.module.js'
import { PrismaService } from '../infrastructure/database/prisma.service.js'

/** Loads rows without the API. The extended client fences them in the caches that a running API shares. */
@Injectable()
export class SeedService {
  constructor(
    private readonly prisma: PrismaService,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  /** Loads the demo auction. Existing rows stay as they are. */
  async loadDemo(): Promise<void> {
    await seedDemo(this.prisma, this.database.kind)
  }

  /** Loads an auction from a gala file or a bids file. */
  loadFile(path: string): Promise<ImportResult> {
    return importFile(this.prisma, path, this.database.kind)
  }
}
