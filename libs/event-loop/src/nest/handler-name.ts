import type { ExecutionContext } from '@nestjs/common'

type Handler = ReturnType<ExecutionContext['getHandler']>
type Class = ReturnType<ExecutionContext['getClass']>

/** Keyed by class first, since a class can inherit the handler of another. */
const names = new WeakMap<Class, WeakMap<Handler, string>>()

/** Returns `Class.method`, cached per handler. The set of values is fixed at start, as a metric label requires. */
export function handlerNameOf(context: ExecutionContext): string {
  const [owner, handler] = [context.getClass(), context.getHandler()]
  let ofClass = names.get(owner)
  if (!ofClass) names.set(owner, (ofClass = new WeakMap()))
  let name = ofClass.get(handler)
  if (name === undefined) ofClass.set(handler, (name = `${owner.name}.${handler.name}`))
  return name
}
