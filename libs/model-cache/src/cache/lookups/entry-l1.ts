import { L1 } from '../read/l1.js'
import type { RowRequest } from '../read/read.js'
import type { LookupEntry } from './lookup-entry.js'

/** Entries in memory, without the rows that they were loaded with: these may be written while the entry stays as it is. */
export class EntryL1<Row> extends L1<LookupEntry<Row>> {
  override keep(
    request: RowRequest,
    readAtMs: number,
    entry: LookupEntry<Row> | null,
    length: number,
  ): boolean {
    return super.keep(
      request,
      readAtMs,
      entry && { key: entry.key, ids: entry.ids, orderDigest: entry.orderDigest },
      length,
    )
  }

  /** Entries stand for which rows there are, so a created row outdates them all. */
  override forgetAll(): void {
    super.forgetAll('all')
  }
}
