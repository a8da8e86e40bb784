import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Prisma } from '#prisma/client/client.js'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Database } from '../database.js'
import type { AuctionRows, ParsedAuction, Rejection } from './auction-rows.js'
import { ImportError } from './auction-rows.js'
import { parseBids } from './bids-csv.js'
import { parseGala } from './gala.js'
import { writeAuction } from './write-auction.js'

export interface ImportResult {
  /** The rows that were written, or `null` if the file has no valid row. */
  rows: AuctionRows | null
  rejections: Rejection[]
}

const PARSERS: Record<string, (content: string) => ParsedAuction> = { '.json': parseGala, '.csv': parseBids }

/**
 * Imports the valid rows of a gala file (.json) or a bids file (.csv) in one transaction.
 *
 * @throws ImportError if the file cannot be imported at all
 */
export async function importFile(
  prisma: PrismaClient,
  path: string,
  kind: Database['kind'] = 'postgres',
): Promise<ImportResult> {
  const parse = PARSERS[extname(path).toLowerCase()]
  if (!parse) {
    throw new ImportError(
      `${path} is neither a gala file (.json) nor a bids file (.csv): choose one of these.`,
    )
  }
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code ?? error.message})`
    throw new ImportError(`${path} ${reason}: pass the path of a gala file (.json) or a bids file (.csv).`)
  })

  const { rows, rejections } = parseWithPath(path, () => parse(content))
  if (!rows) return { rows, rejections }
  await writeAuction(prisma, rows, kind).catch((error: unknown) => rethrowConflict(path, error))
  return { rows, rejections }
}

function parseWithPath(path: string, parse: () => ParsedAuction): ParsedAuction {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ImportError) throw new ImportError(`${path} ${error.message}. Nothing was loaded.`)
    throw error
  }
}

/** Valid rows can still contradict the database, for example if another auction has a bid with the same id. */
function rethrowConflict(path: string, error: unknown): never {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
    throw new ImportError(
      `${path} contradicts the database: ${error.message.trim().split('\n').at(-1)}, and another auction's row of ` +
        `${String(error.meta?.modelName)} already has that value. Nothing was loaded.`,
      { cause: error },
    )
  }
  throw error
}
