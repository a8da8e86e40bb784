import type { Result } from '../harness/result.ts'

/** What the generated parts of pages name of the result that they show. */
export type Source = Pick<Result, 'suite' | 'node' | 'cpu' | 'date'> & {
  readonly server: string
  readonly database?: string
}

/** The command that has measured a result, on what, and when. */
export const measuredBy = ({ cpu, database, date, node, server, suite }: Source): string =>
  `\`npm run bench -- ${suite}\`: ${[`Node ${node}`, database, server, cpu, date.slice(0, 10)].filter(Boolean).join(', ')}.`
