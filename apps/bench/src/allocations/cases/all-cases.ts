import type { AllocationCase } from './allocation-case.ts'
import { codecCases } from './codec-cases.ts'
import { hookCases } from './hook-cases.ts'
import { readCases } from './read-cases.ts'

export const allCases: readonly AllocationCase[] = [...readCases, ...hookCases, ...codecCases]
