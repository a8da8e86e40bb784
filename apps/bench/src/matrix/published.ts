import { parsingStorm } from '../report/parsing-storm.ts'
import type { Published } from '../report/published.ts'

/** The first iteration: strategies by scenario and hit rate. */
export const published: Published = parsingStorm

/** Figures of other sources than the published page, named as what they are. */
export const earlier = {
  /** The incident as the design of this project retells it. */
  reviverSteps: {
    value: 476_000,
    source: 'the incident, as this project’s design retells it: about 476,000',
  },
  /** In milliseconds of processor time, Node 26: 5,350 different rows of 43 fields, all of them stored. */
  v1Cpu: { value: 179, source: 'first measured by this project before its read path was built: 179 ms' },
} as const
