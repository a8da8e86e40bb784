import type { FunctionWriter } from './function-writer.js'
import { property } from './function-writer.js'
import type { PlanOf } from './wire-plan.js'

/**
 * Writes code that selects the branch of a union.
 *
 * @param value the expression of the object
 * @param otherwise the statement for an object of no branch
 */
export function writeBranches(
  code: FunctionWriter,
  { discriminator, branches }: PlanOf<'union'>,
  value: string,
  write: (plan: PlanOf<'object' | 'union'>, index: number) => void,
  otherwise: string,
): void {
  // No own-property check: an inherited property never equals a constant.
  const tag = code.assign(`${value}${property(discriminator)}`, 'tag')
  branches.forEach(({ constants, plan }, index) => {
    const condition = constants.map((constant) => `${tag} === ${JSON.stringify(constant)}`).join(' || ')
    code.block(`${index > 0 ? 'else ' : ''}if (${condition})`, () => write(plan, index))
  })
  code.line(`else ${otherwise}`)
}
