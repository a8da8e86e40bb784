import type { ImportResult } from '#prisma/import/import-file.js'

/** What became of a file, for the terminal: each part that was left out, then what was loaded. */
export function describeImport(path: string, { rows, rejections }: ImportResult): string {
  const left = rejections.map(({ where, reason }) => `Left out ${where}: ${reason}`)
  const skipped = `${rejections.length} left out`
  const summary = rows
    ? `Loaded ${path}: ${rows.auctionItems.length} lots, ${rows.auctionBids.length} bids, ${rows.users.length} bidders; ` +
      `${skipped}. Fundraiser ${rows.fundraiser.id} (${rows.fundraiser.slug}).`
    : `Loaded nothing from ${path}: it has no usable row; ${skipped}.`
  return [...left, summary].join('\n')
}
