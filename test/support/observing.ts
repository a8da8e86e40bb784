import { type CacheObserver, type ModelObserver, silentObserver } from 'model-cache/advanced'

/** An observer that hears of these events alone, of rows and of lookups. */
export const observing = (heard: Partial<ModelObserver>): CacheObserver => ({
  ...silentObserver,
  forModel: (name, lookup) => ({ ...silentObserver.forModel(name, lookup), ...heard }),
})

/** Counts events by names that `heard` gives them. */
export function counting(heard: (add: (name: string, count: number) => void) => Partial<ModelObserver>) {
  const counts: Record<string, number> = {}
  const add = (name: string, count: number): void => void (counts[name] = (counts[name] ?? 0) + count)
  return { counts, observer: observing(heard(add)) }
}
