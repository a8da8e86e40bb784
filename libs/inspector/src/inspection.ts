import type {
  Action,
  CacheName,
  CachesReport,
  HistoryReport,
  InvalidationReport,
  ProcessesReport,
  QueriesReport,
  RecentReport,
} from './report.js'
import type { EntryReport, RowReport } from './row-report.js'

/** What an operator wants to see or do, in whatever form it was asked. Rejects with InspectionError. */
export interface Inspection {
  caches(): Promise<CachesReport>
  processes(): Promise<ProcessesReport>
  history(): Promise<HistoryReport>
  queries(): Promise<QueriesReport>
  recent(cache: CacheName): Promise<RecentReport>
  row(cache: CacheName, id: string): Promise<RowReport>
  entry(cache: CacheName, lookup: string, key: string): Promise<EntryReport>
  invalidate(cache: CacheName, target: InvalidationReport['target']): Promise<InvalidationReport>
}

/** Which values may be shown: fields of all caches, or by cache; `'*'` for all fields. Ids and keys are always shown. */
export type Show = readonly string[] | Readonly<Record<string, readonly string[] | '*'>>

/** Which caches allow which actions. */
export type Actions = readonly Action[] | Readonly<Record<string, readonly Action[]>>
