/** With one line a model, with all unique keys, with what `suggest` prints, and with results of all models beside it. */
export const levels = ['ids', 'unique keys', 'suggestions', 'results'] as const
export type Level = (typeof levels)[number]

interface Measured {
  readonly query: string
  readonly answered: Readonly<Record<Level, number>>
}

export const isFind = ({ query }: Measured): boolean => /^\w+\.find/.test(query)

/** The part of queries that caches answer, if each call site is asked equally often. */
export const shareOf = (sites: readonly Measured[], level: Level): number =>
  sites.reduce((sum, { answered }) => sum + answered[level], 0) / sites.length
