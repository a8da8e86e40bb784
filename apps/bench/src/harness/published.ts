import { table, type Section } from './section.ts'

export interface Source {
  readonly title: string
  readonly url: string
  /** What of the source could not be read. */
  readonly unread?: string
}

/** Published figures beside ours. Figures that could not be read are marked, never made up. */
export function besidePublished(
  { title, url, unread }: Source,
  what: string,
  rows: readonly {
    readonly name: string
    /** With its unit; undefined where the source could not be read. */
    readonly theirs: string | undefined
    readonly ours: string | number | undefined
    /** Why the two may differ. */
    readonly difference: string
  }[],
): Section {
  return table(
    `Beside the published figures: ${what}`,
    rows,
    {
      '': 'name',
      published: ({ theirs }) => theirs ?? 'not available offline',
      ours: 'ours',
      'why they differ': 'difference',
    },
    { text: [`Published in “${title}”, ${url}.`, ...(unread ? [unread] : [])] },
  )
}

/** The investigation that `matrix`, `roundtrip` and `walkers` repeat. */
export const parsingStorm: Source = {
  title: 'Surviving the Parsing Storm',
  url: 'https://tech.trellis.org/blog/2026-05-20-Surviving-the-Parsing-Storm/',
  unread: 'Only the opening of the page could be read offline. It describes the incident and has no figures.',
}
