import { parsingStorm } from '../report/parsing-storm.ts'
import type { Published } from '../report/published.ts'

/** The first iteration: strategies by scenario and hit rate. */
export const published: Published = parsingStorm

/** Figures of other sources than the published page, and which. */
export const earlier = {
  reviverSteps: 'about 476,000, as the design of this project retells the incident',
  v1Cpu:
    '179 ms, first measured by this project on Node 26, before it had its read path (case v1 of the storm suite)',
} as const
