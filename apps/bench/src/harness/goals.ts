import type { Intervals } from './interval.ts'

/** What figures of `summary` have to reach, by name. */
export type Goals = Readonly<Record<string, { readonly least?: number; readonly most?: number }>>

/** What is measured, as far as goals concern it. */
export interface Reached {
  /** Lacks what was not measured. */
  readonly summary?: Readonly<Record<string, unknown>>
  readonly intervals?: Intervals
}

/** Reasons why a run fails: goals that it has missed with the whole interval, or without one. */
export function missedGoals(reached: Reached, goals: Goals): string[] {
  return verdictsOf(reached, goals).flatMap(({ text, verdict }) => (verdict === 'missed' ? [`${text}.`] : []))
}

/** What a run shows of each goal, in sentences. @param tookSeconds how long all of its rounds took */
export function goalTexts(reached: Reached, goals: Goals, tookSeconds: number, isQuick: boolean): string[] {
  return verdictsOf(reached, goals).map(({ interval, text, times, verdict }) => {
    if (verdict !== 'too noisy to tell')
      return `${text}: ${verdict}${isQuick && !interval ? ' by a quick run, whose noise is unknown' : ''}.`
    const minutes = Math.ceil((times * tookSeconds) / 60)
    return times > MOST_TIMES
      ? `${text}: ${verdict}; a quieter machine could.`
      : `${text}: ${verdict}; about ${Math.ceil(times)} times as many rounds could, ${minutes} minutes.`
  })
}

/** Beyond as many times the rounds, it is the machine. */
const MOST_TIMES = 100

function verdictsOf({ intervals = {}, summary = {} }: Reached, goals: Goals) {
  return Object.entries(goals).flatMap(([name, { least = -Infinity, most = Infinity }]) => {
    const value = summary[name]
    if (typeof value !== 'number') return []
    const interval = intervals[name]
    const goal = Number.isFinite(least) ? least : most
    const isNoisy = interval !== undefined && interval.low < goal && interval.high > goal
    const isReached = value >= least && value <= most
    const bounds = interval ? ` (${interval.low} to ${interval.high})` : ''
    return [
      {
        interval,
        /** How many times as many rounds would have the whole interval on one side. */
        times: interval ? ((interval.high - interval.low) / 2 / Math.abs(value - goal)) ** 2 : 1,
        text: `${name} is ${value}${bounds}, of ${Number.isFinite(least) ? 'at least' : 'at most'} ${goal}`,
        verdict: isNoisy ? 'too noisy to tell' : isReached ? 'reached' : 'missed',
      },
    ]
  })
}
