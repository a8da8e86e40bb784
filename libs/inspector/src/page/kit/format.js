/** Formats milliseconds, such as 0.8 ms, 12 ms or 1.2 s. */
export function formatMs(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}

/** For the round values of an axis, which need no rounding. */
export const formatAxisMs = (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`)

/**
 * Formats what a histogram knows of a duration: below its lowest bound and above its highest one, that; between, the interpolated value.
 *
 * @param within the bounds of the bucket, the upper one null without one
 */
export function formatMsWithin(ms, [lower, upper]) {
  if (upper === null) return `> ${formatMs(lower)}`
  return lower === 0 ? `< ${formatMs(upper)}` : formatMs(ms)
}

/** Formats what a histogram knows of a size: the bound below which it is. */
export const formatBytesWithin = (_bytes, [lower, upper]) =>
  upper === null ? `> ${formatBytes(lower)}` : `< ${formatBytes(upper)}`

export const formatShare = (share) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`

/** Formats a size, such as 312 B, 4.0 kB or 1.2 MB. */
export function formatBytes(bytes) {
  const [unit, size] = bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3]
  return bytes < 1e3 ? `${Math.round(bytes)} B` : `${(bytes / size).toFixed(1)} ${unit}`
}

const wholeNumber = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** Formats a count, such as 12,345. */
export const formatCount = (count) => wholeNumber.format(count)

/** Formats a rate, such as 0.04, 2.5 or 1,234. */
export function formatRate(perSecond) {
  if (perSecond === 0 || perSecond >= 10) return formatCount(perSecond)
  return perSecond < 0.005 ? '< 0.01' : perSecond.toFixed(perSecond < 0.1 ? 2 : 1)
}

const UNITS = [
  ['d', 86_400, 'h', 3_600],
  ['h', 3_600, 'min', 60],
  ['min', 60, 's', 1],
]

/** Formats a length of time for a sentence, such as 0.4 s, 12 s, 9 min 48 s or 2 d 4 h. */
export function formatDuration(ms) {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const [unit, size, part, partSize] = UNITS.find(([, least]) => seconds >= least) ?? ['s', 1, '', 1]
  const rest = Math.floor((seconds % size) / partSize)
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${part}` : ''}`
}

const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Formats an ISO time as the time of day, with the day unless it is that of `now`. */
export function formatTime(iso, now = new Date()) {
  const time = new Date(iso)
  const isToday = time.toDateString() === new Date(now).toDateString()
  return (isToday ? timeOfDay : dayAndTime).format(time)
}

/** Formats an ISO time relative to another, such as "12 s ago" or "in 9 min 48 s". */
export function formatRelative(iso, now) {
  const ms = new Date(now) - new Date(iso)
  return ms >= 0 ? `${formatDuration(ms)} ago` : `in ${formatDuration(-ms)}`
}
