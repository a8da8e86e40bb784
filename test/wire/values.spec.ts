import { describeValues } from './describe-values.js'

describeValues(100_000)
