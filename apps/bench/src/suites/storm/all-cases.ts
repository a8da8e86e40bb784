import { floors } from './cases/floors.ts'
import { modelCaches } from './cases/model-cache.ts'
import { peers } from './cases/peers.ts'
import type { StormCase } from './storm-case.ts'

export const allCases: readonly StormCase[] = [...modelCaches, ...floors, ...peers]
