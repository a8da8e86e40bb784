import type { Section } from './section.ts'

/** Figures that others have published, as data, and where they stand. */
export interface Published {
  readonly title: string
  readonly url: string
  /** By what was measured, as text with its unit; undefined when they could not be read. */
  readonly figures: Readonly<Record<string, string>> | undefined
  /** Why they could not be. */
  readonly unavailable?: string
}

/** One thing that a published table has as well. */
export interface Beside {
  readonly name: string
  readonly ours: string
  /** Why the two would differ, in a few words. */
  readonly difference: string
}

/** The rows of a published table, with their figures where they are known, beside ours. */
export function besidePublished(
  { title, url, figures, unavailable }: Published,
  what: string,
  rows: readonly Beside[],
): Section {
  return {
    title: `Beside the published figures: ${what}`,
    text: [`Published in “${title}”, ${url}.`, ...(unavailable ? [unavailable] : [])],
    table: {
      head: ['', 'published', 'ours', 'what differs'],
      rows: rows.map(({ name, ours, difference }) => [
        name,
        figures ? (figures[name] ?? 'not in the source') : 'not available offline',
        ours,
        difference,
      ]),
    },
  }
}
