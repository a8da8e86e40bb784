import type { Constant, PlanOf, UnionBranch } from './wire-plan.js'

type ObjectPlan = PlanOf<'object'>

const present = { nullable: false, undefinable: false } as const

/**
 * Finds the discriminator of a union: a required field whose constants each belong to one object. If two objects share a
 * constant, another field distinguishes these two. The plan does not depend on the order of the objects.
 *
 * @returns undefined if there is no discriminator
 */
export function discriminate(objects: readonly ObjectPlan[]): PlanOf<'union'> | undefined {
  const unions = candidatesOf(objects).flatMap((discriminator) => unionBy(discriminator, objects) ?? [])
  // Prefers one field that distinguishes all objects.
  return unions.find(({ branches }) => branches.length === objects.length) ?? unions[0]
}

/** Sorted names of the fields that are constants in every object. */
function candidatesOf(objects: readonly ObjectPlan[]): string[] {
  return objects[0]!.fields
    .map((field) => field.name)
    .filter((name) => objects.every((object) => constantsOf(object, name).length > 0))
    .toSorted()
}

function constantsOf(object: ObjectPlan, name: string): readonly Constant[] {
  const field = object.fields.find((candidate) => candidate.name === name)
  if (!field || field.optional || field.plan.nullable || field.plan.undefinable) return []
  if (field.plan.kind === 'boolean') return [false, true]
  return field.plan.kind === 'literal' ? field.plan.values : []
}

function unionBy(discriminator: string, objects: readonly ObjectPlan[]): PlanOf<'union'> | undefined {
  const groups = groupsOf(discriminator, objects)
  if (groups.length < 2) return undefined
  const branches: UnionBranch[] = []
  for (const { constants, members } of groups) {
    const plan = members.length === 1 ? members[0]! : discriminate(members)
    if (!plan) return undefined
    branches.push({ constants: constants.toSorted(byText), plan })
  }
  branches.sort((a, b) => byText(a.constants[0]!, b.constants[0]!))
  return { kind: 'union', discriminator, branches, ...present }
}

interface Group {
  constants: Constant[]
  members: ObjectPlan[]
}

/** Groups objects that share a constant, directly or through other objects. */
function groupsOf(discriminator: string, objects: readonly ObjectPlan[]): readonly Group[] {
  let groups: Group[] = []
  for (const object of objects) {
    const constants = constantsOf(object, discriminator)
    const shares = (group: Group): boolean => constants.some((constant) => group.constants.includes(constant))
    const joined = groups.filter(shares)
    groups = groups.filter((group) => !shares(group))
    groups.push({
      constants: [...new Set([...joined.flatMap((group) => group.constants), ...constants])],
      members: [...joined.flatMap((group) => group.members), object],
    })
  }
  return groups
}

function byText(a: Constant, b: Constant): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}
