/** What Prisma's tests expect of their environment besides Jest. */
import { stripVTControlCharacters } from 'node:util'
import { toMatchInlineSnapshot, toMatchSnapshot } from 'jest-snapshot'

type Matcher = (
  this: unknown,
  received: unknown,
  ...rest: unknown[]
) => { pass: boolean; message: () => string }
type Repeated = (name: string, work: jest.ProvidesCallback, timeout?: number) => void

process.env.PRISMA_HIDE_PREVIEW_FLAG_WARNINGS = 'true'

const matcherOf = (snapshot: unknown): Matcher =>
  function (received, ...rest) {
    if (!(received instanceof Error)) return { pass: false, message: () => 'It is no error.' }
    return (snapshot as Matcher).call(this, withoutLineNumbers(received.message), ...rest)
  }

const holds =
  (condition: (received: unknown, expected: unknown) => boolean): Matcher =>
  (received, expected) => ({
    pass: condition(received, expected),
    message: () => `Received ${String(received)}, which is not as expected: ${String(expected)}`,
  })

expect.extend({
  toMatchPrismaErrorSnapshot: matcherOf(toMatchSnapshot),
  toMatchPrismaErrorInlineSnapshot: matcherOf(toMatchInlineSnapshot),
  toBeString: holds((received) => typeof received === 'string'),
  toBeOneOf: holds((received, expected) => (expected as unknown[]).includes(received)),
  toPartiallyContain: holds((received, expected) =>
    (received as object[]).some((one) => {
      try {
        expect(one).toMatchObject(expected as object)
        return true
      } catch {
        return false
      }
    }),
  ),
} as never)

/** The snapshots have the lines of code around a call, but not where it stands. */
function withoutLineNumbers(message: string): string {
  return stripVTControlCharacters(message)
    .replaceAll(/^(\s*(?:→\s*)?)\d+/gm, '$1XX')
    .replaceAll(/^\S*(\/client\/tests\/functional\/\S+?):\d+:\d+$/gm, '$1:0:0')
}

const skip = new Proxy(it.skip, { get: (of, name) => (name === 'skip' ? it.skip : Reflect.get(of, name)) })
const repeat = (run: Repeated, times: number): Repeated =>
  new Proxy(run, {
    apply(_, self, [name, work, timeout]: Parameters<Repeated>) {
      for (let time = 0; time < times; time++) Reflect.apply(run, self, [`${name} #${time}`, work, timeout])
    },
    get: (of, name) => repeat(Reflect.get(of, name) as Repeated, times),
  })

Object.assign(globalThis, {
  testIf: (condition: boolean) => (condition ? test : skip),
  skipTestIf: (condition: boolean) => (condition ? skip : test),
  describeIf: (condition: boolean) => (condition ? describe : describe.skip),
  testRepeat: (times: number) => repeat(test as unknown as Repeated, times),
})
