import type { ImportResult } from '#prisma/import/import-file.js'

/** Formats an import for the terminal: the skipped parts, then what was loaded. */
export function describeImport(path: string, { rows, rejections }: ImportResult): string {
  const skipped = rejections.map(({ where, reason }) => `Skipped ${where}: ${reason}`)
  const count = `${rejections.length} skipped`
  const summary = rows
    ? `Loaded ${path}: ${rows.auctionItems.length} lots, ${rows.auctionBids.length} bids, ${rows.users.length} bidders; ` +
      `${count}. Fundraiser ${rows.fundraiser.id} (${rows.fundraiser.slug}).`
    : `Loaded nothing from ${path}: it has no valid row; ${count}.`
  return [...skipped, summary].join('\n')
}
