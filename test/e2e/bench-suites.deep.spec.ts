import { describeBench } from './describe-bench.js'

/** Suites whose quick run is cheap. A change of another one runs it by itself, as CONTRIBUTING.md says. */
describe('the bench', () => describeBench(['cluster', 'codec', 'coverage', 'scale']))
