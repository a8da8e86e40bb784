import type { ExecutionContext } from '@nestjs/common'

type Handler = ReturnType<ExecutionContext['getHandler']>
type Class = ReturnType<ExecutionContext['getClass']>

/** By class first: a class may inherit the handler of another. */
const names = new WeakMap<Class, WeakMap<Handler, string>>()

/** `Class.method`: known when the application starts, and so of few values, as a label has to be. Made once for each handler. */
export function handlerNameOf(context: ExecutionContext): string {
  const [owner, handler] = [context.getClass(), context.getHandler()]
  let ofClass = names.get(owner)
  if (!ofClass) names.set(owner, (ofClass = new WeakMap()))
  let name = ofClass.get(handler)
  if (name === undefined) ofClass.set(handler, (name = `${owner.name}.${handler.name}`))
  return name
}
