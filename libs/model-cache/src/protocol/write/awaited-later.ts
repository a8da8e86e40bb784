/** Returns the promise of work that runs beside what is awaited first: until it is awaited, its rejection counts as handled. */
export function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}
