/** Applies a decorator to a method: Node runs the bench without compiling it, and decorators are not JavaScript yet. */
export function decorate<Class extends abstract new (...args: never) => object>(
  { prototype }: Class,
  method: keyof InstanceType<Class> & string,
  decorator: MethodDecorator,
): void {
  decorator(prototype as object, method, Object.getOwnPropertyDescriptor(prototype, method)!)
}
