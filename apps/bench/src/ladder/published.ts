/** A figure that somebody has published, as it stands there. */
export interface PublishedFigure {
  readonly what: string
  readonly theirs: string
  readonly url: string
}

const ARTICLE =
  'https://dev.to/temitopeajao/nodejs-performance-at-the-limit-profiling-fixing-and-proving-it-with-real-numbers-4866'
const RETOLD =
  'https://www.codcompass.com/en/kb/node-js-performance-at-the-limit-profiling-fixing-and-proving-it-with-real-numbers-559598'

/**
 * "Node.js Performance at the Limit: Profiling, Fixing, and Proving It with Real Numbers" by Temitope Ajao, and Codcompass, who
 * retell it: what of them could be read.
 */
export const published = {
  title: 'Node.js Performance at the Limit, Temitope Ajao',
  method: {
    what: 'method',
    theirs: 'autocannon, 50 connections, 10 s',
    url: ARTICLE,
  },
  p99AtFirst: {
    what: 'p99 before anything is changed',
    theirs: '2.3 s',
    url: ARTICLE,
  },
  p99Retold: {
    what: 'p99 at 50 connections before, as retold',
    theirs: '2.4 s',
    url: RETOLD,
  },
  requestsAtFirst: {
    what: 'requests/s of such services, as retold',
    theirs: 'below 50',
    url: RETOLD,
  },
} as const satisfies { readonly title: string } & Readonly<Record<string, PublishedFigure | string>>

/** What we know to be published and have not got. */
export const unread =
  'The article and its retelling tell requests/s, average, p99, longest GC pause and CPU idle after each fix. That table could not be ' +
  'read when this was written, only the beginnings of both pages could: so none of it stands beside our later steps.'
