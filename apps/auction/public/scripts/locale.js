// Before any module, and so not one: some systems have a locale that Intl refuses, such as en-US@posix, with which the charts format
// their numbers when they are loaded.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}
