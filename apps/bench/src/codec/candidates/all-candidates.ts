import type { Fixture } from '../fixtures/fixture.ts'
import { createBareJson, createFastJsonStringify } from './bare-json.ts'
import type { Candidate } from './candidate.ts'
import { createModelCache } from './model-cache.ts'
import { createDevalue, createMsgpackr, createSuperjson, createV8 } from './others.ts'
import { createPrefixes } from './prefixes.ts'

/** Each made anew for each fixture, as an application has one of each kind for each model. */
export const candidatesFor = (fixture: Fixture): Candidate[] => [
  ...createModelCache(fixture),
  ...createBareJson(),
  createFastJsonStringify(fixture),
  createPrefixes(),
  createMsgpackr(),
  createV8(),
  createSuperjson(),
  createDevalue(),
]
