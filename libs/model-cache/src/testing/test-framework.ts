/** The functions of Jest, Vitest or node:test that contract tests use. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  beforeEach(body: () => Promise<void>): unknown
  afterEach(body: () => Promise<void>): unknown
}
