import { AT_REST, UNCONFIGURED, type Baseline, type CountedCase } from './allocation-case.ts'

/** Code of features that are not configured. */
const FEATURES =
  /^(prom-client|metrics\/.*|event-loop\/pressure|consistency\/(writes|fence-set|pending-invalidations|backplane)|cache\/telemetry\/(observer|shield-observer|observed-source|auditor|large-payloads|history)|cache\/read\/(transaction-reads|l1))$/

const REFRESH = 'If this is intended, record it: UPDATE=1 npm run bench -- allocations --quick'

/** Differences from the baseline, and allocations for features that are not configured. */
export function problemsOf(cases: readonly CountedCase[], v8: string, baseline: Baseline): string[] {
  return [...wasted(cases), ...changed(cases, v8, baseline)]
}

function wasted(cases: readonly CountedCase[]): string[] {
  const none = cases.find(({ name }) => name === UNCONFIGURED)
  if (!none) return []
  const atRest = cases
    .filter(({ name, written }) => AT_REST.includes(name) && written.bytes !== none.written.bytes)
    .map(({ name, written }) => `${name}: ${written.bytes} bytes a read, ${none.written.bytes} without it.`)
  const features = Object.entries(none.byFile)
    .filter(([file]) => FEATURES.test(file))
    .map(([file, bytes]) => `${file}, which is not configured, allocates ${bytes} bytes a read.`)
  return [...atRest, ...features]
}

function changed(cases: readonly CountedCase[], v8: string, baseline: Baseline): string[] {
  if (v8 !== baseline.v8) {
    return [`The baseline was recorded with V8 ${baseline.v8}, and this is ${v8}. ${REFRESH}`]
  }
  const different = cases.flatMap(({ name, written, tolerance }) => {
    const recorded = baseline.cases[name]
    if (!recorded) return [`${name}: not recorded.`]
    const isSame = (['bytes', 'objects'] as const).every(
      (figure) => Math.abs(written[figure] - recorded[figure]) <= tolerance * recorded[figure],
    )
    const text = ({ bytes, objects }: typeof written): string => `${bytes} bytes in ${objects} objects`
    return isSame ? [] : [`${name}: ${text(written)}, recorded were ${text(recorded)}.`]
  })
  return different.length > 0 ? [...different, REFRESH] : []
}
