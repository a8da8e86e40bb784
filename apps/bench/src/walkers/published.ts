import { parsingStorm } from '../report/parsing-storm.ts'
import type { Published } from '../report/published.ts'

/** The third iteration: trie or compiled, ISO-parsing library or native Date, against the parse alone. */
export const published: Published = parsingStorm
