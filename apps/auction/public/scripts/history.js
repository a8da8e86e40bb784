/** Entries with a time `at`, in milliseconds, of which the old are forgotten. */
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
    /** @returns the seconds before now of each, and then for each reading its values: what uPlot draws */
    data(now, ...readings) {
      return [entries.map(({ at }) => (at - now) / 1000), ...readings.map((reading) => entries.map(reading))]
    },
  }
}
