import type { Published } from './published.ts'

/** The investigation whose three iterations `matrix`, `roundtrip` and `walkers` repeat. */
export const parsingStorm: Published = {
  title: 'Surviving the Parsing Storm',
  url: 'https://tech.trellis.org/blog/2026-05-20-Surviving-the-Parsing-Storm/',
  figures: undefined,
  unavailable:
    'Of the page only the opening could be read without the internet; it tells of the incident and has no figures, so none are shown.',
}
