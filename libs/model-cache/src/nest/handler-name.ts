import type { ExecutionContext } from '@nestjs/common'

/** `Class.method`: known when the application starts, and so of few values, as a label has to be. */
export function handlerNameOf(context: ExecutionContext): string {
  return `${context.getClass().name}.${context.getHandler().name}`
}
