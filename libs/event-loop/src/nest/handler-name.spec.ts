import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import { handlerNameOf } from './handler-name.js'

class Items {
  all(): void {}
  one(): void {}
}
class Lots extends Items {}

it('a handler is named by its own class and its method, at each call', () => {
  const { all, one } = Items.prototype
  const nameOf = (owner: typeof Items, handler: () => void) =>
    handlerNameOf(new ExecutionContextHost([], owner, handler))
  for (const _ of ['first', 'second']) {
    expect([nameOf(Items, all), nameOf(Items, one)]).toEqual(['Items.all', 'Items.one'])
    expect([nameOf(Lots, all), nameOf(Lots, one)]).toEqual(['Lots.all', 'Lots.one'])
  }
})
