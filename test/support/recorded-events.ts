import { type CacheObserver, silentObserver } from '../../libs/model-cache/src/cache/telemetry/observer.js'

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
  const methodsOf = (name: string, lookup: string | undefined) =>
    Object.keys(silentObserver.forModel(name)).map((method) => [
      method,
      (...args: unknown[]) =>
        void events.push({ method, lookup, args: args.filter((arg) => arg !== undefined) }),
    ])
  return {
    observer: {
      ...silentObserver,
      forModel: (name, lookup) =>
        Object.fromEntries(methodsOf(name, lookup)) as ReturnType<CacheObserver['forModel']>,
    },
    of: (method, lookup) =>
      events.filter((event) => event.method === method && event.lookup === lookup).map(({ args }) => args),
    forget: () => void events.splice(0),
  }
}
