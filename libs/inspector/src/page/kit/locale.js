// Intl rejects the locale of some systems, such as en-US@posix. uPlot uses it while its module loads, so this script is not a
// module and runs first.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}
