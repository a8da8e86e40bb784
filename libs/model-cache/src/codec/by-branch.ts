import { ownFieldOf } from './plain-object.js'
import type { PlanOf } from './wire-plan.js'

/** Calls `make` for each branch of a union and returns a function that finds the result for the branch of an object. */
export function byBranch<T>(
  { discriminator, branches }: PlanOf<'union'>,
  make: (plan: PlanOf<'object' | 'union'>) => T,
): (object: unknown) => T | undefined {
  const made = new Map<unknown, T>()
  for (const { constants, plan } of branches) {
    const ofBranch = make(plan)
    for (const constant of constants) made.set(constant, ofBranch)
  }
  return (object) => made.get(ownFieldOf(object as object, discriminator))
}

/** Throws for an object of no branch, in code that accepts only rows that match the plan. */
export function refuseBranch(): never {
  throw new TypeError('no branch of the union')
}
