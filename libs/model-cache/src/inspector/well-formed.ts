import { type } from 'arktype'
import { maxEntryRows } from './entry-comparison.js'
import type { Knowledge, RowWrite } from './local-answers.js'
import type { ProcessFacts } from './process-facts.js'
import { maxSamples } from './recent-samples.js'
import type { ChartSample } from './report.js'

/*
 * What other processes answer is checked: a newer version may answer something else, and whoever may publish in the namespace anything.
 */

const counts = type({ '[string]': { '[string]': 'number' } })
const countsOverTime = type({ sinceStart: counts, recent: counts.or('null') })
const root = type('string | null')
const quantiles = type({ p50: 'number', p99: 'number' }).or('null')
const coverage = type({
  mode: "'answer' | 'shadow'",
  canAnswer: 'boolean',
  missing: type({ field: 'string', because: "'omitted' | 'reshaped'" }).array(),
})
const state = type({ isHeld: 'boolean', isTrusted: 'boolean' })

const processFacts = type({
  id: 'string',
  host: 'string',
  pid: 'number',
  version: 'string',
  startedAt: 'string',
  seconds: 'number',
  recentSeconds: 'number',
  rssBytes: 'number',
  eventLoop: {
    lagMs: quantiles,
    utilization: 'number',
    pressure: 'number',
    blocks: type({ at: 'string', holder: 'string', ms: 'number', stack: 'string[]' }).array(),
    shed: { '[string]': 'number' },
  },
  stores: type({ root, kind: 'string', openCircuits: { reads: 'number', writes: 'number' } }).array(),
  storeChanges: type({
    at: 'string',
    side: "'reads' | 'writes'",
    state: "'up' | 'down'",
    reason: 'string',
  }).array(),
  follow: type({
    root,
    state: "'opening' | 'following' | 'resigned' | 'nobody'",
    lagMs: 'number | null',
    lagBytes: 'number | null',
    events: { '[string]': 'number' },
    takeovers: 'number',
  }).array(),
  warnings: 'string[]',
  caches: type({
    name: 'string',
    root,
    fingerprint: 'string',
    fingerprints: 'string[]',
    epoch: 'string | null',
    mayFill: 'boolean',
    mayFillInMs: 'number',
    pendingInvalidations: "number | 'all'",
    l1: type({ rows: 'number', bytes: 'number', isTrusted: 'boolean' }).or('null'),
    isFollowed: 'boolean | null',
    coverage: coverage.or('null'),
    figures: countsOverTime,
    lookups: type({ name: 'string', figures: countsOverTime }).array(),
  }).array(),
})

const chartSample = type({
  agoMs: 'number',
  seconds: 'number',
  lagMs: quantiles,
  answered: { tick: 'number', l1: 'number', store: 'number', source: 'number' },
  decodeMs: { '[string]': 'number' },
})

const knowledge = type({
  l1: state.or('null'),
  isInvalidationPending: 'boolean',
  lastMiss: type({ at: 'string', reason: 'string' }).or('null'),
  lastWrite: type({ at: 'string', by: 'string', rows: 'string[]', rowCount: 'number' }).or('null'),
  lastUnknownWrite: type({ at: 'string', what: "'all' | 'created'" }).or('null'),
})

const rowWrites = type({ id: 'string', at: 'string', by: 'string' }).array().atMostLength(maxEntryRows)

/** The facts of a process; empty for anything else. */
export function factsIn(answer: unknown): readonly ProcessFacts[] {
  return processFacts.allows(answer) ? [answer as ProcessFacts] : []
}

/** The last minute of a process; empty for anything else. */
export function samplesIn(answer: unknown): readonly ChartSample[] {
  return chartSample.array().atMostLength(maxSamples).allows(answer) ? (answer as ChartSample[]) : []
}

/** What a process knows of a row or an entry; empty for anything else. */
export function knowledgeIn(answer: unknown): readonly Knowledge[] {
  return knowledge.allows(answer) ? [answer as Knowledge] : []
}

/** The last writes to rows that a process remembers; empty for anything else. */
export function writesIn(answer: unknown): readonly RowWrite[] {
  return rowWrites.allows(answer) ? (answer as RowWrite[]) : []
}
