import type { CacheObserver } from 'model-cache/advanced'

/** What a cache tells its observer: of its rows, or of one of its lookups. */
export interface RecordedEvents {
  readonly observer: CacheObserver
  /** The arguments of each event of a method, in order. Rows have no lookup. */
  of: (method: string, lookup?: string) => readonly (readonly unknown[])[]
  forget: () => void
}

/** Records every event of a cache. */
export function recordedEvents(): RecordedEvents {
  const events: { readonly method: string; readonly lookup: string | undefined; readonly args: unknown[] }[] =
    []
  return {
    observer: {
      storeChanged: () => {},
      forModel: (_, lookup) =>
        new Proxy({} as ReturnType<CacheObserver['forModel']>, {
          get:
            (_, method: string) =>
            (...args: unknown[]): void =>
              void events.push({ method, lookup, args: args.filter((arg) => arg !== undefined) }),
        }),
    },
    of: (method, lookup) =>
      events.filter((event) => event.method === method && event.lookup === lookup).map(({ args }) => args),
    forget: () => void events.splice(0),
  }
}
