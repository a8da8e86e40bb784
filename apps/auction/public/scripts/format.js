/** Formats milliseconds, such as 0.8 ms, 12 ms or 1.2 s. */
export function formatMs(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}

/** For the round values of an axis, which need no rounding. */
export const formatAxisMs = (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`)

export const formatShare = (share) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`

/** Formats a size, such as 312 B, 4.0 kB or 1.2 MB. */
export function formatBytes(bytes) {
  const [unit, size] = bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3]
  return bytes < 1e3 ? `${bytes} B` : `${(bytes / size).toFixed(1)} ${unit}`
}

/** For display only: amounts stay exact strings everywhere else. */
export function createMoneyFormat({ locale, currency }) {
  const whole = new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 0 })
  const exact = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return (amount) => (Number.isInteger(Number(amount)) ? whole : exact).format(Number(amount))
}
