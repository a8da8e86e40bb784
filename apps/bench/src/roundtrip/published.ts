import { parsingStorm } from '../report/parsing-storm.ts'
import type { Published } from '../report/published.ts'

/** The second iteration: nine fixtures at concurrency 64, worst latency, parsers by size, reads in one parse. */
export const published: Published = parsingStorm
