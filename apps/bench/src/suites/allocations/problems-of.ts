import { AT_REST, UNCONFIGURED, type Baseline, type Count, type CountedCase } from './allocation-case.ts'

/** Files and folders of features that are not configured. */
export const FEATURES = [
  'metrics/',
  'event-loop/pressure',
  'protocol/backplane',
  'protocol/write/',
  'cache/telemetry/',
  'cache/read/transaction-reads',
  'cache/read/l1',
]
/** What waits for epochs belongs to reads as well. */
const OF_READS = 'protocol/write/handled'
const isOfFeature = (file: string): boolean =>
  file !== OF_READS && ['prom-client', ...FEATURES].some((feature) => file.startsWith(feature))

const REFRESH = 'If this is intended, record it: UPDATE=1 npm run bench -- allocations --quick'

/** What a count may differ by, beside the tolerance of its case. The largest of these applies. */
export interface Allowance extends Count {
  /** Part of the count. */
  readonly part: number
}

/** For a comparison on one machine, with one V8. */
export const EXACT: Allowance = { part: 0, bytes: 0, objects: 0 }

/** More than machines differ by: their timers and memory make a few objects more or less, of 24 to 32 bytes each. Any V8 is compared. */
export const ANY_MACHINE: Allowance = { part: 0.03, bytes: 96, objects: 3 }

/** Differences from the baseline, and allocations for features that are not configured. */
export function problemsOf(
  cases: readonly CountedCase[],
  v8: string,
  baseline: Baseline,
  allowance = EXACT,
): string[] {
  return [...wasted(cases, allowance), ...changed(cases, v8, baseline, allowance)]
}

function wasted(cases: readonly CountedCase[], { bytes, objects }: Allowance): string[] {
  const none = cases.find(({ name }) => name === UNCONFIGURED)
  if (!none) return []
  // Of the same run, so no part of the count is allowed for.
  const allowance = { part: 0, bytes, objects }
  const atRest = cases
    .filter(
      ({ name, written }) => AT_REST.includes(name as never) && !isWithin(allowance, written, none.written),
    )
    .map(({ name, written }) => `${name}: ${written.bytes} bytes a read, ${none.written.bytes} without it.`)
  const features = Object.entries(none.byFile)
    .filter(([file]) => isOfFeature(file))
    .map(([file, bytes]) => `${file}, which is not configured, allocates ${bytes} bytes a read.`)
  return [...atRest, ...features]
}

function changed(
  cases: readonly CountedCase[],
  v8: string,
  baseline: Baseline,
  allowance: Allowance,
): string[] {
  const isOtherV8 = v8 !== baseline.v8
  const other = `The baseline was recorded with V8 ${baseline.v8}, and this is ${v8}.`
  if (isOtherV8 && allowance === EXACT) return [`${other} ${REFRESH}`]
  const different = cases.flatMap(({ name, written, tolerance }) => {
    const recorded = baseline.cases[name]
    if (!recorded) return [`${name}: not recorded.`]
    const part = Math.max(allowance.part, tolerance)
    const text = ({ bytes, objects }: Count): string => `${bytes} bytes in ${objects} objects`
    return isWithin({ ...allowance, part }, written, recorded)
      ? []
      : [`${name}: ${text(written)}, recorded were ${text(recorded)}.`]
  })
  if (different.length === 0) return []
  return isOtherV8 ? [other, ...different, REFRESH] : [...different, REFRESH]
}

function isWithin(allowance: Allowance, count: Count, expected: Count): boolean {
  return (['bytes', 'objects'] as const).every(
    (figure) =>
      Math.abs(count[figure] - expected[figure]) <=
      Math.max(allowance.part * expected[figure], allowance[figure]),
  )
}
