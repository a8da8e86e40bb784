import { mean, median, quantile, spread } from '../measure/statistics.ts'
import type { Cell } from './matrix-measurements.ts'
import type { CellSamples } from './protocol.ts'

/** The cells of one strategy, over all of its processes. */
export function cellsOf(
  strategy: string,
  reads: Readonly<Record<string, number>>,
  rounds: readonly CellSamples[][],
): Cell[] {
  const [first = []] = rounds
  return first.map(({ scenario, hitRate }) => {
    const same = rounds.flat().filter((cell) => cell.scenario === scenario && cell.hitRate === hitRate)
    const storms = same.flatMap((cell) => cell.storms)
    const cpus = storms.map(({ cpuMs }) => cpuMs)
    const answered = mean(storms.map(({ memoryHits }) => memoryHits))
    return {
      strategy,
      scenario,
      ...(hitRate !== undefined && { hitRate: rounded(answered / reads[scenario]!, 4) }),
      loopP99Ms: rounded(median(storms.map(({ loopP99Ms }) => loopP99Ms))),
      loopMaxMs: rounded(median(storms.map(({ loopMaxMs }) => loopMaxMs))),
      wallP99Ms: rounded(
        quantile(
          storms.flatMap(({ wallMs }) => wallMs),
          0.99,
        ),
      ),
      parseP99Ms: rounded(
        quantile(
          storms.map(({ parseMs }) => parseMs),
          0.99,
        ),
      ),
      cpuMs: rounded(median(cpus)),
      cpuSpread: rounded(spread(cpus), 3),
      allocatedMb: rounded(median(storms.map(({ allocatedMb }) => allocatedMb))),
      heapMb: rounded(median(same.map(({ heapMb }) => heapMb))),
    }
  })
}

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))
