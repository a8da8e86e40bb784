import type { Section } from '../report/section.ts'
import type { LibraryResults } from './by-library.ts'
import { number } from './cells.ts'
import { published, PUBLISHED_URL } from './published.ts'

/** The published figures beside ours, of encoding, row by row. */
export function presentPublished(libraries: readonly LibraryResults[]): Section {
  const rows = published.map((theirs) => ({
    theirs,
    ours: libraries.find(({ name }) => name === theirs.ours),
  }))
  return {
    title: 'Encode beside the published figures, ms by the clock',
    text: [
      `Theirs: Adam Faulkner, "Serialization from NodeJS", 2025-06-22, ${PUBLISHED_URL}.`,
      'Another machine and Node, and real trips; ours are generated. There, the text says, almost all of the time went into',
      'collections before tuning; ours are fewer, in a process that holds little else than the trips. Beside that:',
      ...published.map(({ name, difference }) => `  ${name}: ${difference}`),
    ],
    table: {
      head: ['', 'untuned, theirs', 'ours', 'tuned, theirs', 'ours', 'Rust, theirs'],
      rows: rows.map(({ theirs, ours }) => [
        theirs.name,
        number(theirs.untuned),
        number(ours?.untuned?.encode.ms),
        number(theirs.tuned),
        number(ours?.tuned.encode.ms),
        number(theirs.rust),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'ms to encode',
      scale: 'log',
      categories: rows.map(({ theirs }) => theirs.name),
      series: [
        { name: 'untuned, theirs', values: rows.map(({ theirs }) => theirs.untuned) },
        { name: 'untuned, ours', values: rows.map(({ ours }) => ours?.untuned?.encode.ms ?? null) },
        { name: 'tuned, theirs', values: rows.map(({ theirs }) => theirs.tuned) },
        { name: 'tuned, ours', values: rows.map(({ ours }) => ours?.tuned.encode.ms ?? null) },
      ],
    },
  }
}
