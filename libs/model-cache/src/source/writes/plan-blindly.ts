import { runtimeModelsOf } from './prisma-internals.js'
import type { Planning } from './plan-write.js'
import { Touched } from './touched.js'
import type { WritePlan } from './write-plan.js'

/**
 * Plans for a client whose schema cannot be read: whatever is written, all rows of all models that relations lead to
 * count as written.
 */
export function createBlindPlanner(
  client: object,
  planning: Omit<Planning, 'models'>,
): (model: string) => WritePlan | undefined {
  return (model) => {
    const touched = new Touched(planning.coordinator, planning.limit)
    for (const name of connectedTo(client, model)) touched.addModel(name, 'unknown')
    return touched.isEmpty
      ? undefined
      : { model, idFields: [], touched, lookUps: [], mode: 'plain', changes: {} }
  }
}

function connectedTo(client: object, model: string): ReadonlySet<string> {
  const connected = new Set([model])
  // A set also visits what is added meanwhile.
  for (const name of connected) {
    const fields = runtimeModelsOf(client)[name]?.fields ?? []
    for (const field of fields) if (field.kind === 'object') connected.add(field.type)
  }
  return connected
}
