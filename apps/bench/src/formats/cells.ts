const NONE = '–'

/** A figure of at most one decimal, or a dash. */
export const number = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? NONE
    : value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })

export const megabytes = (bytes: number | undefined): string =>
  number(bytes === undefined ? undefined : bytes / 1e6)

export const percent = (part: number | undefined): string => (part === undefined ? NONE : number(part * 100))

export const times = (ratio: number | undefined): string =>
  ratio === undefined ? NONE : `${ratio.toFixed(2)} ×`
