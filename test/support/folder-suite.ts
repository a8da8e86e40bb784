/**
 * Runs the specs of a folder as one suite, so that modules are loaded once for all of them: for most specs this takes longer than
 * their tests. Specs that are chosen one by one run by themselves (see folder-suites.mjs).
 */
import { dirname, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { specsOf } from './folder-specs.ts'

const names = ['it', 'test', 'describe', 'beforeAll', 'beforeEach', 'afterEach', 'afterAll'] as const
type Registering = (...args: unknown[]) => unknown

/** What a spec registers while it is imported, for a `describe`, which cannot wait for the import. */
let kept: (() => unknown)[] | undefined

/** `it` or another, and what hangs on it (`it.each(rows)`, `it.concurrent`): while a spec is imported, calls are kept. */
function keeping(register: Registering): Registering {
  return new Proxy(register, {
    apply: (_target, self, args: unknown[]) => {
      const call = () => Reflect.apply(register, self, args)
      return kept ? void kept.push(call) : call()
    },
    get: (_target, name) => {
      const value: unknown = Reflect.get(register, name)
      if (typeof value !== 'function') return value
      const called = value as Registering
      return name === 'each'
        ? (...rows: unknown[]) => keeping(called(...rows) as Registering)
        : keeping(called)
    },
  })
}

/**
 * Imports the specs of the folder of a module, and registers each in a `describe` of its name.
 * @param url `import.meta.url` of that module, `folder.spec.ts`.
 */
export async function runFolder(url: string): Promise<void> {
  const folder = dirname(fileURLToPath(url))
  const globals = globalThis as unknown as Record<string, Registering>
  for (const name of names) globals[name] = keeping(globals[name]!)
  for (const spec of specsOf(folder)) {
    const calls: (() => unknown)[] = []
    kept = calls
    await import(pathToFileURL(spec).href)
    kept = undefined
    describe(relative(folder, spec), () => {
      for (const call of calls) call()
    })
  }
}
