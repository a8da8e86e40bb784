import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Prisma } from '#prisma/client/client.js'
import type { PrismaClient } from '#prisma/client/client.js'
import type { AuctionRows, ParsedAuction, Rejection } from './auction-rows.js'
import { ImportError } from './auction-rows.js'
import { parseBids } from './bids-csv.js'
import { parseGala } from './gala.js'
import { writeAuction } from './write-auction.js'

export interface ImportResult {
  /** What was written; `null` when the file had no usable row. */
  rows: AuctionRows | null
  rejections: Rejection[]
  /** Bids on the file's lots that were removed, as the file does not have them. */
  removedBidIds: string[]
}

const PARSERS: Record<string, (content: string) => ParsedAuction> = { '.json': parseGala, '.csv': parseBids }

/**
 * Loads a gala file (.json) or a bids file (.csv): every valid row, in one transaction.
 *
 * @throws ImportError when the file as a whole cannot be used; the message names the file and what was expected.
 */
export async function importFile(prisma: PrismaClient, path: string): Promise<ImportResult> {
  const parse = PARSERS[extname(path).toLowerCase()]
  if (!parse) {
    throw new ImportError(`${path} is neither a gala file (.json) nor a bids file (.csv): give one of these.`)
  }
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code ?? error.message})`
    throw new ImportError(`${path} ${reason}: give the path of a gala file (.json) or a bids file (.csv).`)
  })

  const { rows, rejections } = parsing(path, () => parse(content))
  if (!rows) return { rows, rejections, removedBidIds: [] }
  const removedBidIds = await writeAuction(prisma, rows).catch((error: unknown) => refuse(path, error))
  return { rows, rejections, removedBidIds }
}

function parsing(path: string, parse: () => ParsedAuction): ParsedAuction {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ImportError) throw new ImportError(`${path} ${error.message}. Nothing was loaded.`)
    throw error
  }
}

/** Rows can be valid and still contradict the database: a bid's id that another auction's bid has, say. */
function refuse(path: string, error: unknown): never {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
    throw new ImportError(
      `${path} contradicts the database: ${error.message.trim().split('\n').at(-1)}, and another auction's row of ` +
        `${String(error.meta?.modelName)} has that value already. Nothing was loaded.`,
      { cause: error },
    )
  }
  throw error
}
