/** What specs import from '@jest/globals', which only exists within Jest. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
  globalThis as unknown as Record<string, unknown>
