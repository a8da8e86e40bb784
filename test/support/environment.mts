import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'

/**
 * Jest's environment for Node, with an ordinary global object. Jest's own answers for each global name (`Map`, `String`) through a Proxy,
 * which takes a microsecond each time and so most of the time of whatever computes much.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY)
    try {
      super(...args)
    } finally {
      vm.createContext = createContext
    }
  }
}
