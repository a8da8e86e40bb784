/**
 * Opens something before the tests of a block, and closes it after them. What is returned stands for it: its parts are there once the
 * hooks before the tests have run.
 */
export function useOpened<T extends object>(open: () => Promise<T>, timeoutMs?: number): T {
  let opened: T | undefined
  beforeAll(async () => {
    opened = await open()
  }, timeoutMs)
  afterAll(() => (opened as { close?(): unknown } | undefined)?.close?.())
  return new Proxy({} as T, { get: (_, name): unknown => Reflect.get(opened!, name) })
}
