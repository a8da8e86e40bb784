/** For display only: amounts stay exact strings everywhere else. */
export function createMoneyFormat({ locale, currency }) {
  const whole = new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 0 })
  const exact = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return (amount) => (Number.isInteger(Number(amount)) ? whole : exact).format(Number(amount))
}
