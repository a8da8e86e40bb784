/** Lays cells out in columns: the first to the left, the others, which are numbers, to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Heads with hyphens in several rows, which keeps their columns narrow. */
export function stackedHeads(heads: readonly string[]): string[][] {
  const stacks = heads.map((head) => head.split(/(?<=-)/))
  const height = Math.max(...stacks.map((stack) => stack.length))
  return Array.from({ length: height }, (_, row) =>
    stacks.map((stack) => stack[row - height + stack.length] ?? ''),
  )
}
