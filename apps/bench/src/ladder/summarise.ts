import { median, spread } from '../measure/statistics.ts'
import type { StepFigures, StepResult } from './ladder-measurements.ts'

/** What the rounds of one step come to. */
export function summarise(rounds: readonly StepFigures[]): Omit<StepResult, 'name' | 'change'> {
  const all = (figure: keyof StepFigures): number[] => rounds.map((round) => round[figure])
  const typical = (figure: keyof StepFigures): number => rounded(median(all(figure)))
  const longest = (figure: keyof StepFigures): number => rounded(Math.max(...all(figure)))
  return {
    requestsPerSecond: typical('requestsPerSecond'),
    spread: rounded(spread(all('requestsPerSecond'))),
    averageMs: typical('averageMs'),
    p99Ms: typical('p99Ms'),
    longestGcMs: longest('longestGcMs'),
    cpuIdle: typical('cpuIdle'),
    loopIdle: typical('loopIdle'),
    loopMaxMs: longest('loopMaxMs'),
    cpuMsPerRequest: typical('cpuMsPerRequest'),
    steadyP50Ms: typical('steadyP50Ms'),
    steadyP99Ms: typical('steadyP99Ms'),
    steadyCpuIdle: typical('steadyCpuIdle'),
  }
}

const rounded = (value: number): number => Number(value.toFixed(4))
