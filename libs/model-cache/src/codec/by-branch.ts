import { fieldOf } from './plain-object.js'
import type { PlanOf } from './wire-plan.js'

/** Makes something of each branch of a union; gives the function that finds what was made of the branch of an object. */
export function byBranch<T>(
  { discriminator, branches }: PlanOf<'union'>,
  make: (plan: PlanOf<'object' | 'union'>) => T,
): (object: unknown) => T | undefined {
  const made = new Map<unknown, T>()
  for (const { constants, plan } of branches) {
    const ofBranch = make(plan)
    for (const constant of constants) made.set(constant, ofBranch)
  }
  return (object) => made.get(fieldOf(object as object, discriminator))
}

/** For code that takes only rows that match the plan. */
export function refuseBranch(): never {
  throw new TypeError('no branch of the union')
}
