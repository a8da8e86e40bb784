/** Returns the promise itself. Its rejection counts as handled until it is awaited, after other work that runs beside it. */
export function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}
