import { geometricMean } from '../measure/statistics.ts'
import type { Figure } from '../figure.ts'
import type { CodecMeasurements } from './codec-measurements.ts'

/** Which speed-ups are followed, each the median of the fixtures. */
const RATIOS = ['decodeVsParse', 'decodeVsV1', 'encodeVsStringifier', 'encodeVsV1']

/** What the default format and JSON cost over all fixtures, as geometric means, and the default one beside others. */
export function codecFigures({ fixtures, summary }: CodecMeasurements): Record<string, Figure> {
  const overall = (kind: 'decode' | 'encode' | 'bytes', candidate: string): number =>
    geometricMean(fixtures.map((fixture) => fixture[kind][candidate]!))
  return {
    decode: { value: overall('decode', 'default'), unit: 'ns per row', better: 'lower' },
    encode: { value: overall('encode', 'default'), unit: 'ns per row', better: 'lower' },
    size: { value: overall('bytes', 'default'), unit: 'bytes per row', better: 'lower' },
    'json: decode': { value: overall('decode', 'json-compiled'), unit: 'ns per row', better: 'lower' },
    'json: encode': { value: overall('encode', 'json-compiled'), unit: 'ns per row', better: 'lower' },
    ...Object.fromEntries(
      RATIOS.flatMap((name): [string, Figure][] => {
        const ratio = summary[name]
        return ratio ? [[name, { value: ratio.median, unit: 'times as fast', better: 'higher' }]] : []
      }),
    ),
  }
}
