/** Milliseconds as people read them: 0.8 ms, 12 ms, 1.2 s. */
export function formatMs(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}

export const formatShare = (share) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`

/** Money is exact on its way, as a string; here it is only shown. */
export function createMoneyFormat({ locale, currency }) {
  const whole = new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 0 })
  const exact = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return (amount) => (Number.isInteger(Number(amount)) ? whole : exact).format(Number(amount))
}
