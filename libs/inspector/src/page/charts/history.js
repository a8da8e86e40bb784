/** The time that the charts of metrics span. Their labels say so as well. */
export const CHART_SECONDS = 60

/** Entries that are further apart have a time between them of which nothing is known. */
const GAP_MS = 7_000

/** Keeps the entries of the last seconds. An entry has its time `at` in milliseconds. */
export function createHistory(seconds) {
  let entries = []
  return {
    add(...more) {
      entries.push(...more)
      if (entries.length === 0) return
      const oldest = entries.at(-1).at - seconds * 1000
      entries = entries.slice(entries.findIndex(({ at }) => at >= oldest))
    },
    /** Fills the times of which there is no entry: those before the first one, and gaps. */
    fillGaps(others, apartMs) {
      const isGap = ({ at }) => entries.every((entry) => Math.abs(entry.at - at) >= apartMs)
      const all = [...entries, ...others.filter(isGap)].toSorted((one, other) => one.at - other.at)
      entries = []
      this.add(...all)
    },
    get entries() {
      return entries
    },
    /** @returns data for uPlot: the times in seconds relative to now, then the values that each getter returns, null in gaps */
    data(now, ...getters) {
      const shown = entries.flatMap((entry, i) => {
        const before = entries[i - 1]
        return before && entry.at - before.at > GAP_MS
          ? [{ at: (before.at + entry.at) / 2, isGap: true }, entry]
          : [entry]
      })
      return [
        shown.map(({ at }) => (at - now) / 1000),
        ...getters.map((getter) => shown.map((entry) => (entry.isGap ? null : getter(entry)))),
      ]
    },
  }
}
