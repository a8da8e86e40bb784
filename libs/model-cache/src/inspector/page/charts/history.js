/** Keeps the entries of the last seconds. An entry has its time `at` in milliseconds. */
export function createHistory(seconds) {
  let entries = []
  return {
    add(...more) {
      entries.push(...more)
      const oldest = entries.at(-1).at - seconds * 1000
      entries = entries.slice(entries.findIndex(({ at }) => at >= oldest))
    },
    get entries() {
      return entries
    },
    /** @returns data for uPlot: the times in seconds relative to now, then the values that each getter returns */
    data(now, ...getters) {
      return [entries.map(({ at }) => (at - now) / 1000), ...getters.map((getter) => entries.map(getter))]
    },
  }
}
