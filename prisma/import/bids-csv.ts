import { type } from 'arktype'
import { parse } from 'csv-parse/sync'
import type { ParsedAuction, Rejection } from './auction-rows.js'
import { ImportError } from './auction-rows.js'
import { BidLine } from './bid-line.js'
import { bidId, bidRows } from './bids-rows.js'

interface CsvRecord {
  where: string
  fields: string[]
}

const COLUMNS = BidLine.props.map(({ key }) => String(key))

/** Parses bids, one per line. Each auction becomes a lot. */
export function parseBids(content: string): ParsedAuction {
  const rejections: Rejection[] = []
  const [first, ...records] = splitRecords(content.replace(/^\uFEFF/, ''), rejections)

  const header = first?.fields ?? []
  const missing = COLUMNS.filter((column) => !header.includes(column))
  if (missing.length > 0) {
    throw new ImportError(
      `has no column ${missing.join(', ')} in its first line. Expected the columns ${COLUMNS.join(',')}, as in auction-bids.csv`,
    )
  }

  const lines = validLines(header, records, rejections)
  rejections.sort((left, right) => Number(left.where.slice(5)) - Number(right.where.slice(5)))
  return { rows: lines.length > 0 ? bidRows(lines) : null, rejections }
}

/** Parses each line separately, so that an unclosed quote invalidates one line and not the rest of the file. */
function splitRecords(content: string, rejections: Rejection[]): CsvRecord[] {
  return content.split(/\r\n|\n|\r/).flatMap((line, index) => {
    const where = `line ${index + 1}`
    if (line.trim() === '') return []
    try {
      return [{ where, fields: parse(line)[0] ?? [] }]
    } catch (error) {
      rejections.push({ where, reason: (error as Error).message.replace(/ at line \d+/, '') })
      return []
    }
  })
}

function validLines(header: string[], records: CsvRecord[], rejections: Rejection[]): BidLine[] {
  const lines: BidLine[] = []
  const seen = new Map<string, string>()
  const auctions = new Map<string, { facts: string; where: string }>()

  for (const { where, fields } of records) {
    if (fields.length !== header.length) {
      rejections.push({ where, reason: `has ${fields.length} fields, the first line has ${header.length}` })
      continue
    }
    const line = BidLine(Object.fromEntries(header.map((column, index) => [column, fields[index]])))
    if (line instanceof type.errors) {
      rejections.push({ where, reason: line.map(({ message }) => message).join('; ') })
      continue
    }
    const facts = [line.opening_bid, line.final_price, line.item, line.duration_days].join()
    const auction = auctions.get(line.auction_id)
    if (auction && auction.facts !== facts) {
      rejections.push({ where, reason: `contradicts ${auction.where} on auction ${line.auction_id}` })
      continue
    }
    const id = bidId(line)
    if (seen.has(id)) {
      rejections.push({ where, reason: `is the same bid as ${seen.get(id)}` })
      continue
    }
    seen.set(id, where)
    if (!auction) auctions.set(line.auction_id, { facts, where })
    lines.push(line)
  }
  return lines
}
