import { describeBench } from './describe-bench.js'

describe('the bench', () => describeBench(['cluster']))
